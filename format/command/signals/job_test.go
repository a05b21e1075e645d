//go:build linux || darwin

package signals

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// testJob is one whose stops are counted in the channel that is returned, and which the
// shell continues at once.
func testJob(gate *task.Gate) (*Job, chan struct{}) {
	raised := make(chan struct{}, 8)
	j := &Job{gate: gate, asked: make(chan os.Signal, 1), continued: make(chan os.Signal, 1)}
	j.raise = func() {
		raised <- struct{}{}
		j.continued <- unix.SIGCONT
	}
	return j, raised
}

// TestJobStopsBetween: not while something is stopped, and then once.
func TestJobStopsBetween(t *testing.T) {
	gate := new(task.Gate)
	j, raised := testJob(gate)
	gate.Enter()
	j.asked <- unix.SIGTSTP
	go j.serve()
	done := make(chan struct{})
	go func() { // which waits for the gate, too
		j.stop()
		close(done)
	}()
	select {
	case <-raised:
		t.Fatal("it stopped while the target was")
	default:
	}
	gate.Leave()
	<-done
	if <-raised; len(raised) > 1 {
		t.Errorf("%d more stops", len(raised))
	}
}

// TestJobIsContinued: what asks for a stop before the shell continues the job, and is
// handled after that, does not stop it, for nobody would continue it again.
func TestJobIsContinued(t *testing.T) {
	gate := new(task.Gate)
	j, raised := testJob(gate)
	gate.Enter()
	stopped := make(chan struct{})
	go func() {
		j.stop()
		close(stopped)
	}()
	j.continued <- unix.SIGCONT // while it waits for the gate, or before
	gate.Leave()
	<-stopped
	if len(raised) != 0 {
		t.Error("it stopped after it was continued")
	}
	j.asked <- unix.SIGTTOU // sent again and again until it has stopped
	j.stop()
	if len(raised) != 1 || len(j.asked) != 0 {
		t.Errorf("%d stops, %d still asked for", len(raised), len(j.asked))
	}
}

// TestJobSettles: a SIGCONT that follows at once prevents the stop.
func TestJobSettles(t *testing.T) {
	j, raised := testJob(new(task.Gate))
	j.settle = time.Hour
	stopped := make(chan struct{})
	go func() {
		j.stop()
		close(stopped)
	}()
	j.continued <- unix.SIGCONT
	<-stopped
	if len(raised) != 0 {
		t.Error("it stopped after it was continued")
	}
}

// TestJobForgets: where both signals are given at once, in any order, nothing stops.
func TestJobForgets(t *testing.T) {
	for range 100 {
		gate := new(task.Gate)
		j, raised := testJob(gate)
		j.asked <- unix.SIGTSTP
		j.continued <- unix.SIGCONT
		go j.serve()
		for len(j.asked)+len(j.continued) > 0 {
			gate.Between(func() {})
		}
		gate.Between(func() {}) // after the stop, if there is one
		if len(raised) != 0 {
			t.Fatal("it stopped")
		}
	}
}
