//go:build unix

package recording

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCreateTakesNothingOver writes over a file that anyone may read, and that is
// another user's where the test may make such a one.
func TestCreateTakesNothingOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	_ = os.Chown(path, 4242, 4242) // only root can
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	w, err := Create(path, header)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) {
		t.Errorf("%v, %v", info, err)
	}
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	if b := make([]byte, 9); true {
		if n, _ := reader.Read(b); string(b[:n]) != "old" {
			t.Errorf("who had the old file open reads %q", b[:n])
		}
	}
}

func TestCreateFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	for _, there := range []bool{false, true} {
		if there {
			if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Symlink(victim, link); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(link, header); err == nil || !strings.Contains(err.Error(), link) {
			t.Errorf("error %v", err)
		}
	}
	if b, err := os.ReadFile(victim); err != nil || string(b) != "precious" {
		t.Errorf("%q, %v", b, err)
	}
}

// failing is an output on a disk that fills up.
type failing struct {
	fullDisk
	removed int
}

func (f *failing) Name() string  { return "name" }
func (f *failing) Close() error  { return nil }
func (f *failing) Remove() error { f.removed++; return nil }

// TestWhatTellsNothingIsRemoved wants a recording away that has no whole snapshot.
func TestWhatTellsNothingIsRemoved(t *testing.T) {
	want := samples(2, 2)
	_, ends := write(t, want)
	for room, kept := range map[int]bool{0: false, ends[0] / 2: false, ends[0] + 1: true, 1 << 30: true} {
		f := &failing{fullDisk: fullDisk{left: room}}
		s, err := Save(f, header)
		if err == nil {
			addFacts(s.Writer)
			for _, sample := range want {
				_ = s.AddSnapshot(sample)
			}
			err = s.Close(End{})
		}
		if full := errors.Is(err, syscall.ENOSPC); full != (room < 1<<30) || (f.removed == 0) != kept {
			t.Errorf("room for %d: %v, removed %d times", room, err, f.removed)
		}
		if err != nil && strings.Contains(err.Error(), "nothing was saved") == kept {
			t.Errorf("room for %d: %v", room, err)
		}
	}
}
