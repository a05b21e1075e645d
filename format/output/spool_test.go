package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// openSpool opens a spool of a clock that is set by hand.
func openSpool(t *testing.T, dir string, now *time.Time) *Spool {
	t.Helper()
	s, err := OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.MaxBytes, s.MaxAge, s.Now = 100, time.Hour, func() time.Time { return *now }
	return s
}

// contents are what the letters say, the oldest first.
func contents(t *testing.T, s *Spool) (all []string, dropped int) {
	t.Helper()
	letters, dropped, err := s.Letters()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range letters {
		f, err := s.Open(l)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(f)
		if err != nil || f.Close() != nil || l.Size != int64(len(b)) {
			t.Errorf("%v of %d bytes: %q, %v", l, l.Size, b, err)
		}
		all = append(all, string(b))
	}
	return all, dropped
}

func add(t *testing.T, s *Spool, content string, wantDropped int) {
	t.Helper()
	if dropped, err := s.Add([]byte(content)); err != nil || dropped != wantDropped {
		t.Errorf("%d dropped, want %d: %v", dropped, wantDropped, err)
	}
}

// TestSpoolOrder is that of adding, whatever the clock does, and lasts.
func TestSpoolOrder(t *testing.T) {
	now, dir := time.Unix(1_700_000_000, 0), t.TempDir()
	s := openSpool(t, dir, &now)
	var want []string
	for i, step := range []time.Duration{0, 0, time.Second, -30 * time.Minute, time.Nanosecond, time.Hour / 4} {
		now = now.Add(step)
		want = append(want, string(rune('a'+i)))
		add(t, s, want[i], 0)
	}
	if got, dropped := contents(t, openSpool(t, dir, &now)); !slices.Equal(got, want) || dropped != 0 {
		t.Errorf("%q, %d dropped", got, dropped)
	}
	letters, _, _ := s.Letters()
	if err := errors.Join(s.Remove(letters[0]), s.Remove(letters[0])); err != nil {
		t.Error(err)
	}
	if got, _ := contents(t, s); !slices.Equal(got, want[1:]) {
		t.Errorf("%q", got)
	}
	if info, err := os.Stat(filepath.Join(dir, letters[1].Name)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestSpoolBounds of bytes and age, each to the last.
func TestSpoolBounds(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := openSpool(t, t.TempDir(), &now)
	add(t, s, strings.Repeat("a", 40), 0)
	now = now.Add(time.Minute)
	add(t, s, strings.Repeat("b", 60), 0) // just fits
	now = now.Add(time.Minute)
	add(t, s, "c", 1)
	if got, dropped := contents(t, s); len(got) != 2 || got[1] != "c" || dropped != 0 {
		t.Errorf("%q, %d dropped", got, dropped)
	}
	now = now.Add(time.Hour - time.Minute) // b is as old as may be
	if got, dropped := contents(t, s); len(got) != 2 || dropped != 0 {
		t.Errorf("%q, %d dropped", got, dropped)
	}
	now = now.Add(1)
	if got, dropped := contents(t, s); len(got) != 1 || got[0] != "c" || dropped != 1 {
		t.Errorf("%q, %d dropped", got, dropped)
	}
	add(t, s, strings.Repeat("d", 100), 1)
	if _, err := s.Add(make([]byte, 101)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if got, _ := contents(t, s); len(got) != 1 || len(got[0]) != 100 {
		t.Errorf("%q", got)
	}
}

// TestSpoolCount: the oldest make room for one more, also when they are empty.
func TestSpoolCount(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := openSpool(t, t.TempDir(), &now)
	s.MaxLetters = 3
	for i := range 5 {
		add(t, s, "", max(0, i-2)-max(0, i-3))
	}
	if got, dropped := contents(t, s); len(got) != 3 || dropped != 0 {
		t.Errorf("%q, %d dropped", got, dropped)
	}
	s.MaxLetters = 2
	if got, dropped := contents(t, s); len(got) != 2 || dropped != 1 {
		t.Errorf("%q, %d dropped", got, dropped)
	}
}

// TestSpoolForeign: what is no letter is neither sent nor removed, but what a writer has
// left behind that was killed.
func TestSpoolForeign(t *testing.T) {
	now, dir := time.Now(), t.TempDir()
	put := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("half"), 0o600), os.Chtimes(path, time.Time{}, now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	letter := "01700000000000000000-0123abcd.letter"
	foreign := []string{"README", "1-0123abcd.letter", letter + "~", "01700000000000000000-0123abc.letter", "0170000000000000000x-0123abcd.letter", ".stacksnap-x"}
	for _, name := range foreign {
		put(name, 2*time.Minute)
	}
	put(".stacksnap-8-0.tmp", 0)
	if err := os.MkdirAll(filepath.Join(dir, letter), 0o700); err != nil {
		t.Fatal(err)
	}
	s := openSpool(t, dir, &now)
	if got, dropped := contents(t, s); len(got) != 0 || dropped != 0 {
		t.Errorf("%q, %d", got, dropped)
	}
	for _, name := range append(foreign, letter) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, ".stacksnap-8-0.tmp")); err == nil {
		t.Error("what was left behind is still there")
	}
}

// TestSpoolLock: one at a time, until it is released.
func TestSpoolLock(t *testing.T) {
	now, dir := time.Now(), t.TempDir()
	one, two := openSpool(t, dir, &now), openSpool(t, dir, &now)
	release, ok, err := one.Lock()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := two.Lock(); ok || err != nil {
		t.Errorf("locked twice: %v", err)
	}
	add(t, two, "x", 0) // nobody waits for that
	release()
	release, ok, err = two.Lock()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	release()
}

// TestSpoolFolderIsMadeAgain once it has been deleted.
func TestSpoolFolderIsMadeAgain(t *testing.T) {
	now, dir := time.Now(), filepath.Join(t.TempDir(), "spool")
	s := openSpool(t, dir, &now)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	add(t, s, "x", 0)
	if got, _ := contents(t, s); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
