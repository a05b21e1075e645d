//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// Whether a thread has run is told by the third number of its schedstat file,
// how often it was put on a processor (sched_info_arrive, kernel/sched/stats.h):
// it grows before the thread executes anything. While a thread is on a
// processor the number tells nothing, so a rest begins with a proof that it was
// off, and ends with the first growth. The proof is the thread's syscall file:
// the kernel fills it only from a thread that it has found switched out and that
// was not switched in meanwhile (wait_task_inactive in task_current_syscall,
// lib/syscall.c).
//
// A stop of ours makes a blocked thread run: it wakes, stands, and goes back to
// sleep, in the same call at the same place. So at the next sample it is asked
// whether it is again as it was captured: in the same call (see inCall), and the same bytes on the stack from sp to the end of the copy,
// read between two equal counts. From then on it rests.
type rest struct {
	schedstat int     // file; −1: none
	stat      int     // file; −1: none yet, for few threads are described again
	call      int     // file of its system call; −1: none, for few have come to a processor since
	copies    *copies // nil: the thread was not seen to run, or is not observed
	runs      uint64  // as the file said last
	ran       time.Duration
	queued    time.Duration // likewise
	fresh     bool          // it was read by Idle, and Scheduled was not asked since
	resting   bool          // has not run since runs was at
	at        uint64
	ranAt     time.Duration // how long it had run then, where that is all there is to go by
	seen      int           // the listing that it was last in
}

// restTable keeps the files of threads that are sampled.
type restTable struct {
	of      map[int]*rest
	limit   int // how many are kept at most
	calls   int // how many of them have the file of their call
	listing int
	buf     [512]byte
	stack   [4096]byte
}

const (
	filesEach   = 2 // of a thread, besides that of its copies
	callsShare  = 4 // the part of them that has the file of its call, one in so many
	filesShare  = 4 // the part of the allowed descriptors that is used, one in so many
	maxRests    = 8192
	defaultFile = 1024 // descriptors where the limit is not known
)

func (r *restTable) start() {
	if r.of != nil {
		return
	}
	r.of = map[int]*rest{}
	files := unix.Rlimit{Cur: defaultFile}
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &files)
	r.limit = int(min(files.Cur/(filesEach*filesShare), maxRests))
}

// spare makes room for the file of the copies of each thread.
func (r *restTable) spare() { r.limit = r.limit * filesEach / (filesEach + 1) }

// find returns the thread's rest, nil when its files cannot be kept open.
func (r *restTable) find(dir, tid int) *rest {
	if e := r.of[tid]; e != nil || len(r.of) >= r.limit {
		return e
	}
	e := &rest{schedstat: openTask(dir, tid, "/schedstat\x00"), stat: -1, call: -1}
	r.of[tid] = e
	return e
}

// keepCall opens the file of a thread's call, where there is room.
func (r *restTable) keepCall(e *rest, dir, tid int) {
	if e.call >= 0 || r.calls >= r.limit/callsShare {
		return
	}
	if e.call = openTask(dir, tid, "/syscall\x00"); e.call >= 0 {
		r.calls++
	}
}

// openTask opens a file of a thread, of which dir is /proc/PID/task: name begins
// with a slash and ends in NUL. It returns −1 when it cannot.
func openTask(dir, tid int, name string) int {
	var path [32]byte
	p := append(strconv.AppendInt(path[:0], int64(tid), 10), name...)
	return openRaw(dir, &p[0])
}

// readTask reads such a file into b, and returns what it has of it: nothing when the
// thread is no more.
func readTask(dir, tid int, name string, b []byte) []byte {
	fd := openTask(dir, tid, name)
	if fd < 0 {
		return nil
	}
	n := readRaw(fd, b)
	closeFD(fd)
	return b[:n]
}

// remove may come while a thread that has ended is still asked about.
func (r *restTable) remove(tid int, e *rest) {
	delete(r.of, tid)
	if e.call >= 0 {
		r.calls--
	}
	closeFD(e.schedstat)
	closeFD(e.stat)
	closeFD(e.call)
	e.schedstat, e.stat, e.call = -1, -1, -1
	e.copies.close()
}

// count reads how often the thread was put on a processor; false when that
// cannot be known, as when the kernel does not count and writes zeros. It also
// notes for how long the thread has run and has waited to.
func (r *restTable) count(e *rest) (uint64, bool) {
	n := preadRaw(e.schedstat, r.buf[:])
	c := fields{rest: bytes.TrimRight(r.buf[:n], "\n")}
	ran, queued := c.decimal(), c.decimal()
	runs := c.decimal()
	if c.bad || runs == 0 {
		return 0, false
	}
	e.ran, e.queued = nanoseconds(ran), nanoseconds(queued)
	return runs, true
}

// countOf counts where e may be nil.
func (r *restTable) countOf(e *rest) (uint64, bool) {
	if e == nil {
		return 0, false
	}
	return r.count(e)
}

// drop forgets a thread.
func (r *restTable) drop(tid int) {
	if e := r.of[tid]; e != nil {
		r.remove(tid, e)
	}
}

// sweep closes the files of threads that were not in the last listing.
func (r *restTable) sweep(ids []task.ThreadID) {
	if len(r.of) <= len(ids) {
		return
	}
	r.listing++
	for _, id := range ids {
		if e := r.of[int(id)]; e != nil {
			e.seen = r.listing
		}
	}
	for tid, e := range r.of {
		if e.seen != r.listing {
			r.remove(tid, e)
		}
	}
}

func (r *restTable) close() {
	for tid := range r.of {
		r.drop(tid)
	}
}

// Idle implements [task.Sampled].
func (p *Process) Idle(id task.ThreadID, t *task.Thread) bool {
	p.rests.start()
	e := p.rests.find(p.threads.dir, int(id))
	if e == nil {
		return false
	}
	runs, ok := p.rests.count(e)
	e.runs, e.fresh = runs, true
	if !ok {
		p.rests.drop(int(id))
		return false
	}
	if e.resting && e.at == runs {
		return true
	}
	if t.State == task.Running && p.isReady(int(id)) {
		e.resting = false // it is in no call
		return false
	}
	p.rests.keepCall(e, p.threads.dir, int(id))
	// One that was copied as it ran is read where it waits before it can rest there.
	e.resting = t.Age == 0 && p.unchanged(int(id), t) && p.stillAt(e) && p.seesKernel(e, int(id), t)
	e.at = runs
	if e.resting && t.State == task.Running {
		// It was described as it ran to go back to sleep after a stop of ours.
		e.resting = p.Describe(id, t) == nil && p.stillAt(e)
	}
	return e.resting
}

// stillAt tells whether the thread has not run since its count was read.
func (p *Process) stillAt(e *rest) bool {
	runs, ok := p.rests.count(e)
	return ok && runs == e.runs
}

// unchanged tells whether a thread is blocked in a system call, or stopped by
// someone else, just where it was captured, with the same stack.
func (p *Process) unchanged(tid int, t *task.Thread) bool {
	if t.Registers.Known == 0 {
		return false
	}
	call, err := p.blockedIn(tid)
	switch {
	case err != nil:
		return false
	case call.State == task.InFault && isAt(&t.Registers, &call) && t.State == task.Stopped && threadState(p.state(tid)) == task.Stopped:
		// in user code, to which it goes back when it is continued
	case !inCall(&t.Registers, &call):
		return false
	}
	for i := range t.Stacks {
		if !p.sameBytes(&t.Stacks[i], call.SP) {
			return false
		}
	}
	return true
}

func isAt(r *task.Registers, c *task.Syscall) bool { return c.PC == r.PC() && c.SP == r.SP() }

// blockedIn reads in which call a thread waits, through the file that is kept of it, if
// one is.
func (p *Process) blockedIn(tid int) (task.Syscall, error) {
	if e := p.rests.of[tid]; e != nil && e.call >= 0 {
		if n := preadRaw(e.call, p.rests.buf[:]); n > 0 {
			return parseSyscall(p.rests.buf[:n])
		}
	}
	return parseSyscall(readTask(p.threads.dir, tid, "/syscall\x00", p.rests.buf[:]))
}

// sameBytes compares a copied stack with what is there now, but for what lies
// below sp, where nothing is kept over a system call.
func (p *Process) sameBytes(s *task.Stack, sp task.Addr) bool {
	at, want := s.Base, s.Bytes
	if below := sp - at; sp > at && uint64(below) < uint64(len(want)) {
		at, want = sp, want[below:]
	}
	for len(want) > 0 {
		b := p.rests.stack[:min(len(want), len(p.rests.stack))]
		if n, _ := p.mem.copy(b, at); n < len(b) || !bytes.Equal(b, want[:n]) {
			return false
		}
		at, want = at+task.Addr(len(b)), want[len(b):]
	}
	return true
}
