//go:build darwinlive && linux

package darwinlive

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stacksnap/scripts/terminal"
)

// TestQEndsTop: the view of a terminal ends by its key, with the terminal as it was.
func TestQEndsTop(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	live(t, time.Minute, func(r *room) {
		p := r.target(program, "run", "600000", "0")
		ours, theirs := r.terminal(100, 30)
		cmd := exec.Command(r.runner[0], append(r.runner[1:len(r.runner):len(r.runner)], built.stacksnap, "top", "-p", fmt.Sprint(p.pid))...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
		cmd.Env = append(os.Environ(), "TERM=xterm")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			r.Fatal(err)
		}
		_ = theirs.Close()
		var screen screen
		go screen.read(ours)
		r.eventually("it shows a page", func() bool { return len(screen.text()) > 2000 })
		if _, err := ours.WriteString("q"); err != nil {
			r.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				r.Errorf("%v: %q", err, tail(screen.text()))
			}
			r.eventually("it says what it did", func() bool { return strings.Contains(screen.text(), "stacksnap: sampled ") })
		case <-time.After(time.Until(r.until)):
			_ = cmd.Process.Kill()
			r.Error("q did not end it")
		}
	})
}

// screen is what was written to a terminal, which programs of the space may keep open.
type screen struct {
	mu  sync.Mutex
	all []byte
}

func (s *screen) read(from *os.File) {
	b := make([]byte, 1<<12)
	for {
		n, err := from.Read(b)
		s.mu.Lock()
		s.all = append(s.all, b[:n]...)
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.all)
}

// terminal makes one, whose other side it returns first.
func (r *room) terminal(columns, rows uint16) (ours, theirs *os.File) {
	r.Helper()
	ours, theirs, err := terminal.Open(columns, rows)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = ours.Close() })
	return ours, theirs
}
