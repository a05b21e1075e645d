//go:build linux

package ptrace

import (
	"time"

	"stacksnap/task"
	"stacksnap/task/procfs"
)

// phase is the state of a thread in a suspension.
type phase uint8

const (
	listed  phase = iota // seen, not attached: the phase between suspensions
	seized               // attached, and ordered to stop or about to be; still runs
	stopped              // by our order, or to deliver a signal
	dying                // attached, has ended or is about to: to be reaped
	gone                 // has ended, or is not a thread of the target
	refused              // the kernel did not let us attach
	busy                 // left out: was in uninterruptible sleep before the stop
	roused               // left out: was in such a sleep, and ran while it was read
	skipped              // not attached: waits in a call that a stop would end
)

// thread is one thread of the target.
type thread struct {
	tid          int
	phase        phase
	signal       int               // if stopped: the signal that it stopped to deliver; 0: none
	groupStopped bool              // if stopped: it was in a group-stop
	asleep       bool              // was in uninterruptible sleep when it was described
	sleeps       bool              // was in interruptible sleep when it was described
	ready        bool              // was on a processor or waited for one when it was described
	sched        schedState        // if ready: what was read before the stop
	stoppedAt    time.Time         // when it was found stopped
	runs         uint64            // if skipped: how often it had been scheduled in
	call         task.Syscall      // its call before the stop
	stay         procfs.KernelStay // its frames in the kernel before the stop
}

// threadTable is the target's threads in the order of /proc. Its memory is allocated before the
// stop.
type threadTable struct {
	all    []thread
	whole  []thread // all threads, while a part of them is suspended and all is that part; else nil
	part   []thread // memory for a part
	hint   int      // where the last search ended: threads are searched for in order
	missed int      // threads for which there was no room
	room   int      // see roomForNew
	buf    []byte
	ids    []task.ThreadID
}

const (
	roomForNew  = 512 // threads that may appear between listing and stop
	manyThreads = 4096
	leastRoom   = 8  // the same where nothing is stopped, and there is time to list them again
	direntSize  = 32 // size of an entry with a name of up to 12 bytes
)

// grow makes room for n threads, and for up to manyThreads as many again.
func (t *threadTable) grow(n int) {
	want := n + min(n, manyThreads) + max(t.room, leastRoom)
	if cap(t.all) >= want && cap(t.all) < 4*want {
		return
	}
	t.all = append(make([]thread, 0, want), t.all...)
	t.ids = make([]task.ThreadID, 0, want)
	t.buf = make([]byte, want*direntSize)
}

// find returns the thread, nil when it is not in the table.
func (t *threadTable) find(tid int) *thread {
	for i := range t.all {
		at := t.hint + i
		if at >= len(t.all) {
			at -= len(t.all)
		}
		if t.all[at].tid == tid {
			t.hint = at + 1
			return &t.all[at]
		}
	}
	return nil
}

// add adds a thread unless it is in the table or there is no room, and reports whether it did.
func (t *threadTable) add(tid int) bool {
	if t.hint < len(t.all) && t.all[t.hint].tid == tid {
		t.hint++
		return false
	}
	if t.find(tid) != nil {
		return false
	}
	if len(t.all) == cap(t.all) {
		t.missed++
		return false
	}
	t.all = append(t.all, thread{tid: tid})
	return true
}

// scan reads the directory and adds new threads. It returns how many threads there are in all
// and how many were added.
func (t *threadTable) scan(dir procfs.Dir) (found, added int) {
	t.hint, t.missed = 0, 0
	if dir.Rewind() != 0 {
		return 0, 0
	}
	for {
		n, errno := dir.Entries(t.buf)
		if errno != 0 || n == 0 {
			return found, added
		}
		for tid, rest := procfs.NextThread(t.buf[:n]); tid != 0; tid, rest = procfs.NextThread(rest) {
			found++
			if t.add(tid) {
				added++
			}
		}
	}
}

// list rebuilds the table while the target runs. Threads that are still attached stay in it.
func (t *threadTable) list(dir procfs.Dir) []task.ThreadID {
	kept := 0
	for _, th := range t.all {
		if th.phase.attached() {
			t.all[kept] = th
			kept++
		}
	}
	t.all = t.all[:kept]
	for {
		found, _ := t.scan(dir)
		t.grow(found)
		if t.missed == 0 {
			break
		}
	}
	return t.identify()
}

// identify returns the ids of the threads that have not ended.
func (t *threadTable) identify() []task.ThreadID {
	t.ids = t.ids[:0]
	for i := range t.all {
		if p := t.all[i].phase; p != gone && p != dying {
			t.ids = append(t.ids, task.ThreadID(t.all[i].tid))
		}
	}
	return t.ids
}

// count returns how many threads are in a phase.
func (t *threadTable) count(p phase) (n int) {
	for i := range t.all {
		if t.all[i].phase == p {
			n++
		}
	}
	return n
}

// first returns the first thread that is in a phase, 0 when none is.
func (t *threadTable) first(p phase) (tid int) {
	for i := range t.all {
		if t.all[i].phase == p {
			return t.all[i].tid
		}
	}
	return 0
}

// attached reports whether the kernel regards the thread as traced by us.
func (p phase) attached() bool { return p == seized || p == stopped || p == dying }
