package mach

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// newShooting is a kernel that takes stackshots for root.
func newShooting() *scripted {
	s := newScripted(task.ARM64, 1)
	s.euid, s.shot = 0, []byte("a stackshot")
	return s
}

func mustOpenShots(t *testing.T, s *scripted, pid int) *Stackshots {
	t.Helper()
	shots, err := openStackshots(s, pid)
	if err != nil {
		t.Fatal(err)
	}
	return shots
}

// takeShot takes one stackshot, and gives all back.
func takeShot(t *testing.T, s *scripted, pid int) (string, error) {
	t.Helper()
	shots := mustOpenShots(t, s, pid)
	b, err := shots.Take(0)
	for range 2 { // the second does nothing
		if err := shots.Close(); err != nil {
			t.Error(err)
		}
	}
	s.balance(t)
	return string(b), err
}

func TestStackshot(t *testing.T) {
	s := newShooting()
	if got, err := takeShot(t, s, 42); got != "a stackshot" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if s.drops != 1 {
		t.Errorf("the buffer was given back %d times", s.drops)
	}
}

// TestStackshotFlags are those of osfmk/kern/debug.h: KCDATA_FORMAT, SAVE_LOADINFO and
// NO_IO_STATS always; GET_DQ, THREAD_WAITINFO and faults of what has a program's stacks;
// kexts where the kernel's task is in it; and of a delta COLLECT_DELTA_SNAPSHOT.
func TestStackshotFlags(t *testing.T) {
	for pid, want := range map[int]uint64{42: 0x1a30003, -1: 0x1a3000b, 0: 0x81010a} {
		s := newShooting()
		shots := mustOpenShots(t, s, pid)
		for _, since := range []uint64{0, 1234, 0} {
			if _, err := shots.Take(since); err != nil {
				t.Error(err)
			}
		}
		if err := shots.Close(); err != nil {
			t.Error(err)
		}
		got := []shotAsked{{pid, want, 0, 0}, {pid, want | 0x40000, 1234, 0}, {pid, want, 0, 0}}
		if !slices.Equal(s.shots, got) {
			t.Errorf("of %d: asked %+v, want %+v", pid, s.shots, got)
		}
		s.balance(t)
	}
}

// TestStackshotGrows has the buffer be too small until there is room, which is kept for
// the next, and gives up at a bound.
func TestStackshotGrows(t *testing.T) {
	hints := func(s *scripted) (list []uint32) {
		for _, a := range s.shots {
			list = append(list, a.hint>>20)
		}
		return list
	}
	s := newShooting()
	s.roomFor = 20 << 20
	shots := mustOpenShots(t, s, 42)
	for range 2 {
		if b, err := shots.Take(0); string(b) != "a stackshot" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
	}
	if want := []uint32{0, 8, 16, 32, 32}; !slices.Equal(hints(s), want) {
		t.Errorf("asked for %d MB, want %d", hints(s), want)
	}
	_ = shots.Close() // it never fails
	s.balance(t)

	s = newShooting()
	s.roomFor = 1 << 30
	shots = mustOpenShots(t, s, 42)
	for range 2 { // the second begins where the first has ended, and is not larger
		if _, err := shots.Take(0); err == nil || !strings.Contains(err.Error(), "no room") || !strings.Contains(err.Error(), "ENOSPC (28)") {
			t.Errorf("%v", err)
		}
	}
	_ = shots.Close() // it never fails
	s.balance(t)
	if want := []uint32{0, 8, 16, 32, 64, 64}; !slices.Equal(hints(s), want) {
		t.Errorf("asked for %d MB, want %d", hints(s), want)
	}
}

func TestStackshotIsTriedAgain(t *testing.T) {
	for _, e := range []Errno{busy, notInTime, interrupted} {
		s := newShooting()
		s.answers = []Errno{e, e}
		if got, err := takeShot(t, s, 42); got != "a stackshot" || err != nil || len(s.shots) != 3 {
			t.Errorf("%v: %q, %v, after %d tries", e, got, err, len(s.shots))
		}
		s = newShooting()
		s.answers = slices.Repeat([]Errno{e}, 100)
		if _, err := takeShot(t, s, 42); !errors.Is(err, e) || len(s.shots) != 5 {
			t.Errorf("%v: %v, after %d tries", e, err, len(s.shots))
		}
	}
}

// TestStackshotRefusals has each answer told in a line with its name, and no other try.
func TestStackshotRefusals(t *testing.T) {
	tests := []struct {
		name   string
		pid    int
		script func(*scripted)
		is     func(error) bool
		want   []string
	}{
		{"not root", 42, func(s *scripted) { s.euid = 501 }, isA[*task.PermissionError],
			[]string{"pid 42", "stackshot_capture_with_config: EPERM (1)", "sudo"}},
		{"all, not root", -1, func(s *scripted) { s.euid = 501 }, isA[*task.PermissionError], []string{"all processes", "sudo"}},
		{"an entitlement", 42, func(s *scripted) { s.answers = []Errno{notPermitted} }, isA[*task.PermissionError],
			[]string{"com.apple.private.stackshot", "sudo spindump"}},
		{"no process", 42, func(s *scripted) { s.answers = []Errno{noEntry} }, isA[*task.NoProcessError], []string{"no process with pid 42"}},
		{"no process any more", 42, func(s *scripted) { s.answers = []Errno{noProcess} }, isA[*task.NoProcessError], []string{"no process with pid 42"}},
		{"nothing of all", -1, func(s *scripted) { s.answers = []Errno{noEntry} }, func(err error) bool { return errors.Is(err, noEntry) }, []string{"ENOENT (2)"}},
		{"no memory", 42, func(s *scripted) { s.answers = []Errno{noMemory} }, func(err error) bool { return errors.Is(err, noMemory) }, []string{"no room", "ENOMEM (12)"}},
		{"another version", 42, func(s *scripted) { s.answers = []Errno{notSup} }, isNoSource, []string{"ENOTSUP (45)"}},
		{"odd", 42, func(s *scripted) { s.answers = []Errno{invalid} }, func(err error) bool { return errors.Is(err, invalid) }, []string{"EINVAL (22)"}},
	}
	for _, test := range tests {
		s := newShooting()
		test.script(s)
		_, err := takeShot(t, s, test.pid)
		if err == nil || !test.is(err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q lacks %q", test.name, err, want)
			}
		}
		if len(s.shots) != 1 {
			t.Errorf("%s: tried %d times", test.name, len(s.shots))
		}
	}
}

func isA[T error](err error) bool {
	var as T
	return errors.As(err, &as)
}

func isNoSource(err error) bool { return errors.Is(err, stackshot.ErrNoSource) }

// TestStackshotWithoutItsFunctions has one after another be missing.
func TestStackshotWithoutItsFunctions(t *testing.T) {
	for _, function := range shotFunctions {
		s := newShooting()
		s.lacks = function
		_, err := openStackshots(s, 42)
		if !isNoSource(err) || !strings.HasSuffix(err.Error(), "lack "+function) || strings.Contains(err.Error(), "\n") {
			t.Errorf("without %s: %v", function, err)
		}
		s.balance(t)
	}
	s := newShooting()
	s.noConfig = true
	if _, err := openStackshots(s, 42); !errors.Is(err, noMemory) {
		t.Errorf("without memory: %v", err)
	}
	s.balance(t)
}

// TestStackshotGivesAllBack has each call fail in turn.
func TestStackshotGivesAllBack(t *testing.T) {
	for step := 1; ; step++ {
		s := newShooting()
		s.failAt, s.failWith = step, Return(invalid)
		shots, err := openStackshots(s, 42)
		if err == nil {
			_, err = shots.Take(0)
			_ = shots.Close() // it never fails
		}
		s.balance(t)
		if s.failed == "" {
			break
		}
		gives := s.failed == "stackshot_config_dealloc_buffer" || s.failed == "stackshot_config_dealloc" || s.failed == "stackshot_config_get_stackshot_buffer"
		if (err == nil) != gives {
			t.Errorf("%s failed: %v", s.failed, err)
		}
	}
}

func TestStackshotPath(t *testing.T) {
	s := newShooting()
	shots := mustOpenShots(t, s, 42)
	if got := shots.Path(42, 0x1000); got != "/a/file" {
		t.Errorf("the path is %q", got)
	}
	_ = shots.Close() // it never fails
}
