package mach

import (
	"errors"
	"sync"
	"testing"

	"stacksnap/task"
)

// TestLoaderIsAskedAgain: dyld moves its list, and tells so.
func TestLoaderIsAskedAgain(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	s.loader = dyldInfo{}
	p := mustOpen(t, s)
	if a := p.Info().LoaderInfo; a != 0 {
		t.Errorf("%v before the loader has told", a)
	}
	for _, want := range []struct {
		info dyldInfo
		size int
	}{{dyldInfo{}, 4}, {dyldInfo{addr: testAllInfo, is64: true}, 8}, {dyldInfo{addr: 0x7ff8_0000_0000, is64: true}, 8}} {
		s.loader = want.info
		a, size, err := p.Loader()
		if a != want.info.addr || a != 0 && size != want.size || err != nil {
			t.Errorf("%v, %d, %v; want %+v", a, size, err, want)
		}
	}
	mustClose(t, p)
	s.balance(t)
}

// TestLoaderOfATaskThatHasEnded, as that of a process which called exec has.
func TestLoaderOfATaskThatHasEnded(t *testing.T) {
	s := newScripted(task.ARM64, 1)
	p := mustOpen(t, s)
	s.failCall, s.failWith = "task_info(DYLD)", failure
	var exited *task.ExitedError
	if _, _, err := p.Loader(); err == nil || errors.As(err, &exited) {
		t.Errorf("%v of a call that failed", err)
	}
	s.failCall = ""
	s.kill()
	if _, _, err := p.Loader(); !errors.As(err, &exited) || exited.PID != s.pid {
		t.Errorf("%v of a task that has ended", err)
	}
	mustClose(t, p)
	s.balance(t)
}

// silence has the question for the loader answered when the test ends, or answer
// is called.
func silence(t *testing.T, s *scripted) (answer func(p *Process)) {
	silent := make(chan struct{})
	s.silent = silent
	end := sync.OnceFunc(func() { close(silent) })
	t.Cleanup(end)
	return func(p *Process) {
		end()
		late := make(chan loaderAnswer, 1)
		late <- <-p.asked
		p.asked, s.silent = late, nil
	}
}

// TestALoaderThatIsNotTold costs what it would tell, for so long, and is asked
// for once.
func TestALoaderThatIsNotTold(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	p := mustOpen(t, s)
	answer := silence(t, s)
	var exited *task.ExitedError
	if _, _, err := p.Loader(); !errors.Is(err, timedOut) || errors.As(err, &exited) {
		t.Errorf("%v of a loader that has not told", err)
	}
	asked := p.asked
	if _, _, err := p.Loader(); !errors.Is(err, timedOut) || p.asked != asked {
		t.Errorf("%v, asked for twice: %v", err, p.asked != asked)
	}
	answer(p)
	s.loader.addr++
	if a, _, err := p.Loader(); a != s.loader.addr || err != nil || p.asked != nil {
		t.Errorf("%v, %v; want what is told now", a, err)
	}
	mustClose(t, p)
	s.balance(t)
}

// TestALoaderThatIsNotToldAnyMore, of a task that has ended since.
func TestALoaderThatIsNotToldAnyMore(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	p := mustOpen(t, s)
	silence(t, s)
	s.bsd.status = statusZombie
	var exited *task.ExitedError
	if _, _, err := p.Loader(); !errors.As(err, &exited) {
		t.Errorf("%v", err)
	}
	mustClose(t, p)
	s.balance(t)
}

// TestATaskWhoseLoaderIsNotTold is looked up again: it may be that of before an
// exec.
func TestATaskWhoseLoaderIsNotTold(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	silence(t, s)
	looked := 0
	s.before = func(_ int, call string) {
		if call == "task_read_for_pid" {
			looked++
		}
	}
	p := mustOpen(t, s)
	if a := p.Info().LoaderInfo; a != 0 {
		t.Errorf("%v", a)
	}
	mustClose(t, p)
	if looked != openTries {
		t.Errorf("looked up %d times", looked)
	}
	s.balance(t)
}

// TestAProcessThatEndsWhileItsLoaderIsAskedFor is none to open.
func TestAProcessThatEndsWhileItsLoaderIsAskedFor(t *testing.T) {
	s := newScripted(task.AMD64, 1)
	silence(t, s)
	s.before = func(_ int, call string) {
		if call == "task_read_for_pid" {
			s.bsd.status = statusZombie
		}
	}
	var none *task.NoProcessError
	if p, err := open(s, s.pid); p != nil || !errors.As(err, &none) {
		t.Errorf("%v, %v", p, err)
	}
	s.balance(t)
}
