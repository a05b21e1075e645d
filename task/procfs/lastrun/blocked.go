//go:build linux

package lastrun

import (
	"strconv"
	"time"

	"stacksnap/task"
)

// maxThreads bounds what is read before a stop: of each thread three files, in 70 µs on a busy machine.
const maxThreads = 128

// Blocked are threads that were blocked, or stopped, when they were noted.
type Blocked struct {
	dir   int // /proc/PID/task
	notes []note
	buf   buffer
}

// note is what was read of a thread, just after a moment.
type note struct {
	id  task.ThreadID
	at  time.Time
	ran sched
	cpu int // on which it ran last
}

// Note notes those of some threads that are blocked, of the first ones if there are many. The threads are
// those of /proc/PID/task, which has to stay open. What is noted is empty if the kernel does not keep it.
func Note(dir int, ids []task.ThreadID) *Blocked {
	b := &Blocked{dir: dir}
	for _, id := range ids[:min(len(ids), maxThreads)] {
		n := note{id: id, at: time.Now()}
		first, ok := b.buf.readSched(dir, file(id, "sched"))
		if !ok {
			continue
		}
		if n.ran = first; n.readProcessor(dir, &b.buf) {
			b.notes = append(b.notes, n)
		}
	}
	return b
}

// readProcessor reads on which processor a blocked thread ran last. It reports false if it is not
// blocked, or has run since it was noted.
func (n *note) readProcessor(dir int, b *buffer) bool {
	blocked, cpu, ok := b.readStat(dir, file(n.id, "stat"))
	again, same := b.readSched(dir, file(n.id, "sched"))
	n.cpu = cpu
	return ok && blocked && same && again == n.ran
}

// NotRun returns for how long at least threads had not run when they were noted. Stops says of which
// threads that is asked, and how often we have stopped each since: a stop makes a thread run. Those
// that have been scheduled in otherwise are left out.
func (b *Blocked) NotRun(stops map[task.ThreadID]int) map[task.ThreadID]time.Duration {
	all := map[task.ThreadID]time.Duration{}
	asked := make([]note, 0, len(b.notes))
	for _, n := range b.notes {
		if times, ok := stops[n.id]; ok && n.waitsOn(b.dir, &b.buf, times) {
			asked = append(asked, n)
		}
	}
	for cpu, c := range readClocks(asked) {
		for i := range asked {
			if n := &asked[i]; n.cpu == cpu {
				all[n.id] = max(0, c.clock-n.ran.last-c.at.Sub(n.at))
			}
		}
	}
	return all
}

// waitsOn reports whether a thread waits as it did when it was noted, but for stops. Each of those makes
// it give up its processor twice, to be stopped and to wait again. It may have been woken in the same
// microsecond as it was stopped, at the entry of its next call.
func (n *note) waitsOn(dir int, b *buffer, stops int) bool {
	blocked, _, there := b.readStat(dir, file(n.id, "stat"))
	now, ok := b.readSched(dir, file(n.id, "sched"))
	switch {
	case !there || !ok:
		return false
	case stops == 0:
		return now == n.ran
	case !blocked:
		return now.waits-n.ran.waits < 2*uint64(stops)
	}
	return now.waits-n.ran.waits <= 2*uint64(stops)
}

func file(id task.ThreadID, name string) string {
	return strconv.FormatUint(uint64(id), 10) + "/" + name
}
