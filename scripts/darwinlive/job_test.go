//go:build darwinlive && linux

package darwinlive

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStoppedFromTheTerminal: whenever a terminal stops the sampler (Ctrl-Z, or reading
// or writing in the background) the target runs on, and the sampler goes on when it is
// continued. It is watched from outside, where a thread held by task_suspend does not
// run either.
func TestStoppedFromTheTerminal(t *testing.T) {
	program := compile(t, "lives.c", cFlags...)
	signals := []syscall.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}
	liveIn(t, likeXNU(), 4*time.Minute, func(r *room) {
		p := r.target(program, "run", "600000", "0")
		snap := r.start(built.stacksnap, "-p", fmt.Sprint(p.pid), "-d", "1h", "-i", "1ms")
		r.eventually("it samples", func() bool { return len(snap.own()) == 1 && snap.cpu() > 50 })
		for n := range either(60, 15) {
			before := snap.cpu()
			r.eventually("it goes on", func() bool { return snap.cpu() > before+5 })
			snap.signal(signals[n%len(signals)])
			r.eventually("it is stopped", snap.isStopped)
			ran := p.cpu()
			r.eventually("the target runs on", func() bool { return p.cpu() > ran+5 })
			snap.resume()
		}
		snap.signal(syscall.SIGINT)
		if res := snap.wait(); res.code != 0 || !strings.Contains(res.out, "running") {
			r.Errorf("exit code %d: %s", res.code, res.err)
		}
	})
}

// eventually waits for what is to come.
func (r *room) eventually(what string, is func() bool) {
	r.Helper()
	for !is() {
		if time.Now().After(r.until) {
			for _, p := range r.programs {
				p.resume()
			}
			r.Fatalf("%s: not in time", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// stat are the fields of /proc/PID/stat after the name.
func (p *program) stat() []string {
	for _, pid := range p.own() {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, after, ok := strings.Cut(string(b), ") "); ok {
			return strings.Fields(after)
		}
	}
	return slices.Repeat([]string{""}, 50)
}

// resume continues the program, and what has started it, which stops with it.
func (p *program) resume() {
	if parent, _ := strconv.Atoi(p.stat()[1]); parent > 1 {
		_ = syscall.Kill(parent, syscall.SIGCONT)
	}
	p.signal(syscall.SIGCONT)
}

func (p *program) isStopped() bool { return p.stat()[0] == "T" }

// cpu is the program's user time, in ticks of 10 ms.
func (p *program) cpu() int {
	n, _ := strconv.Atoi(p.stat()[11])
	return n
}
