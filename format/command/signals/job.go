//go:build linux || darwin

package signals

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// jobSignals are the signals by which a terminal stops a job: Ctrl-Z, and access to the
// terminal from the background.
var jobSignals = []os.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU}

// stopWithin is the longest time for SIGSTOP to take effect. If the calling thread receives
// it, that is before the system call returns.
const stopWithin = 100 * time.Millisecond

// settleTime is for how long a SIGCONT may follow a signal of job control and still prevent
// the stop. Both may be sent at once, by a script, and are delivered one after another; a
// SIGCONT that is delivered just before the stop would be lost, and the stop last for ever.
const settleTime = 50 * time.Millisecond

// Job delays the signals of job control until this program has nothing stopped. A target
// that is stopped would otherwise stay so for as long as this program: on Linux because its
// tracer does not run, on macOS because the kernel keeps the task_suspend of a stopped
// holder (osfmk/kern/task.c, task_suspend).
type Job struct {
	gate      *task.Gate
	asked     chan os.Signal // one of jobSignals
	continued chan os.Signal // SIGCONT
	raise     func()         // SIGSTOP for this program
	settle    time.Duration  // before raise
}

// NewJob takes over the signals of job control. Those that are ignored stay ignored.
func NewJob(gate *task.Gate) *Job {
	j := &Job{gate: gate, asked: make(chan os.Signal, 1), continued: make(chan os.Signal, 1), raise: raiseStop, settle: settleTime}
	signal.Notify(j.continued, unix.SIGCONT)
	for _, s := range jobSignals {
		if !signal.Ignored(s) {
			signal.Notify(j.asked, s)
		}
	}
	go j.serve()
	return j
}

// Stopper returns a function that stops stacksnap itself, as Ctrl-Z does, and returns when it
// is continued.
func (j *Job) Stopper() func() { return j.stop }

// serve stops this program whenever a signal of job control arrives.
func (j *Job) serve() {
	for {
		select {
		case <-j.asked:
			j.stop()
		case <-j.continued:
			drain(j.asked) // os/signal may deliver both out of order
		}
	}
}

// stop stops this program when it has nothing stopped, and returns when it is continued. If
// a SIGCONT came meanwhile, as from the shell's fg, it does not stop, since no other
// SIGCONT would follow.
func (j *Job) stop() {
	j.gate.Between(func() {
		if !j.continuedWithin(j.settle) {
			j.raise()
			j.continuedWithin(stopWithin)
		}
		drain(j.asked)
	})
}

// continuedWithin reports whether a SIGCONT is there, or comes within a time.
func (j *Job) continuedWithin(limit time.Duration) bool {
	select {
	case <-j.continued:
		return true
	case <-time.After(limit):
	}
	select { // both may be ready
	case <-j.continued:
		return true
	default:
		return false
	}
}

func drain(c <-chan os.Signal) {
	select {
	case <-c:
	default:
	}
}
