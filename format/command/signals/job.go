//go:build linux || darwin

package signals

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// jobSignals are those by which a terminal stops a job: Ctrl-Z, and reading from it,
// writing to it or setting it up from the background.
var jobSignals = []os.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU}

// stopWithin is how long SIGSTOP may take to stop this program, which it does before
// the system call returns where its own thread takes it.
const stopWithin = 100 * time.Millisecond

// Job has the signals of job control stop this program only while it has nothing
// stopped itself, for the target would stay stopped as long: on Linux until its tracer
// goes on, and on macOS because the kernel keeps a task_suspend while its holder is
// merely stopped (osfmk/kern/task.c, task_suspend).
type Job struct {
	gate      *task.Gate
	asked     chan os.Signal // one of jobSignals
	continued chan os.Signal // SIGCONT
	raise     func()         // SIGSTOP for this program
}

// NewJob takes the signals over. Those that are ignored stay so.
func NewJob(gate *task.Gate) *Job {
	j := &Job{gate: gate, asked: make(chan os.Signal, 1), continued: make(chan os.Signal, 1), raise: raiseStop}
	signal.Notify(j.continued, unix.SIGCONT)
	for _, s := range jobSignals {
		if !signal.Ignored(s) {
			signal.Notify(j.asked, s)
		}
	}
	go j.serve()
	return j
}

// Stopper returns what stops this program until it is continued.
func (j *Job) Stopper() func() { return j.stop }

// serve stops this program whenever that is asked for.
func (j *Job) serve() {
	for {
		select {
		case <-j.asked:
			j.stop()
		case <-j.continued:
			drain(j.asked) // os/signal gives both at once, and not in their order
		}
	}
}

// stop stops this program as soon as it has nothing stopped, and returns when it goes
// on. Where it was continued meanwhile, as by the shell's fg, nobody would continue it
// again: it goes on.
func (j *Job) stop() {
	j.gate.Between(func() {
		select {
		case <-j.continued:
		default:
			j.raise()
			select {
			case <-j.continued:
			case <-time.After(stopWithin):
			}
		}
		drain(j.asked)
	})
}

func drain(c <-chan os.Signal) {
	select {
	case <-c:
	default:
	}
}
