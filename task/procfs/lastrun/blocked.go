//go:build linux

package lastrun

import (
	"strconv"
	"time"

	"stacksnap/task"
)

// maxThreads bounds how many threads are read before a stop: each has three files, which take 70
// µs on a busy machine.
const maxThreads = 128

// Blocked are threads that were blocked or stopped when Note read them.
type Blocked struct {
	files reader // of /proc/PID/task
	notes []note
}

// note is what was read of a thread just after the time at.
type note struct {
	id  task.ThreadID
	at  time.Time
	ran sched
	cpu int // the processor on which it last ran
}

// Note records which of the threads ids are blocked; if there are many threads, only of the
// first ones. dir is /proc/PID/task and must stay open. The result is empty if the kernel does
// not keep the times.
func Note(dir int, ids []task.ThreadID) *Blocked {
	b := &Blocked{files: reader{dir: dir}}
	for _, id := range ids[:min(len(ids), maxThreads)] {
		n := note{id: id, at: time.Now()}
		first, ok := b.files.sched(file(id, "sched"))
		if !ok {
			continue
		}
		if n.ran = first; n.readProcessor(&b.files) {
			b.notes = append(b.notes, n)
		}
	}
	return b
}

// readProcessor reads on which processor a blocked thread ran last. It reports false if it is not
// blocked, or has run since it was noted.
func (n *note) readProcessor(files *reader) bool {
	blocked, cpu, ok := files.stat(file(n.id, "stat"))
	again, same := files.sched(file(n.id, "sched"))
	n.cpu = cpu
	return ok && blocked && same && again == n.ran
}

// NotRun returns how long, at least, threads had not run when Note read them. stops has the
// threads to report on, and how often we have stopped each since, because a stop makes a thread
// run. Threads that have been scheduled in for another reason are omitted.
func (b *Blocked) NotRun(stops map[task.ThreadID]int) map[task.ThreadID]time.Duration {
	all := map[task.ThreadID]time.Duration{}
	asked := make([]note, 0, len(b.notes))
	for _, n := range b.notes {
		if times, ok := stops[n.id]; ok && n.waitsOn(&b.files, times) {
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
func (n *note) waitsOn(files *reader, stops int) bool {
	blocked, _, there := files.stat(file(n.id, "stat"))
	now, ok := files.sched(file(n.id, "sched"))
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
