//go:build linux

package procfs

import (
	"bytes"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// The third number of a thread's schedstat file is how often the thread was scheduled in
// (sched_info_arrive, kernel/sched/stats.h). It grows before the thread executes anything. While
// the thread is on a processor the number does not change although it runs. So a period in which
// it did not run begins with a proof that it was off the processor, and ends when the number
// grows. The proof is the thread's syscall file: the kernel fills it only for a thread that it
// has found switched out and that was not switched in meanwhile (wait_task_inactive in
// task_current_syscall, lib/syscall.c).

// ThreadFile is what is kept for a sampled thread: its open files, which stay bound to this
// thread, and what was read from them.
type ThreadFile struct {
	Ran    time.Duration // time on a processor, as of the last Count
	Queued time.Duration // time waiting for a processor, as of the last Count
	Kept   io.Closer     // something else kept for the thread, closed with its files; nil: nothing

	schedstat int  // file; −1: none
	stat      int  // file; −1: not open, because few threads are described again
	call      int  // its syscall file; −1: not open, because few have been scheduled in since
	fresh     bool // Ran and Queued were read by NotRun, and CPUTimes was not called since
	seen      int  // the last listing that it was in

	runs  uint64        // count of the schedstat file in the last NotRun
	idle  bool          // it has not run since runs was equal to at
	at    uint64        // see idle, and SameCounts
	ranAt time.Duration // CPU time at that moment, used if there is no count
}

// ThreadFiles reads the files of the threads of one process repeatedly, and keeps some of them
// open. It may be used by one goroutine at a time.
type ThreadFiles struct {
	Dir Dir // /proc/PID/task

	of      map[int]*ThreadFile
	limit   int // the maximum number of threads in of
	calls   int // the number of them whose syscall file is open
	listing int
	buf     [512]byte

	text  [1024]byte // for a stat file
	ahead int        // the thread whose stat file is in text, read before Describe; 0: none
	first Stat       // in text
}

const (
	filesEach   = 2 // files of a thread, besides Kept
	callsShare  = 4 // one in this many threads may have its syscall file open
	filesShare  = 4 // one in this many of the allowed descriptors may be used
	maxFiles    = 8192
	defaultFile = 1024 // allowed descriptors if the limit is not known
)

func (f *ThreadFiles) start() {
	f.of = map[int]*ThreadFile{}
	files := unix.Rlimit{Cur: defaultFile}
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &files)
	f.limit = int(min(files.Cur/(filesEach*filesShare), maxFiles))
}

// LeaveRoom reserves a descriptor for one more file of each thread, its Kept.
func (f *ThreadFiles) LeaveRoom() {
	if f.of == nil {
		f.start()
	}
	f.limit = f.limit * filesEach / (filesEach + 1)
}

// Find returns the files of a thread, and opens them if necessary. It returns nil when they
// cannot be kept open.
func (f *ThreadFiles) Find(tid int) *ThreadFile {
	if f.of == nil {
		f.start()
	}
	if e := f.of[tid]; e != nil || len(f.of) >= f.limit {
		return e
	}
	e := &ThreadFile{schedstat: openTask(f.Dir.fd, tid, "/schedstat\x00"), stat: -1, call: -1}
	f.of[tid] = e
	return e
}

// Of returns the files of a thread if they are open, else nil.
func (f *ThreadFiles) Of(tid int) *ThreadFile { return f.of[tid] }

// Len returns the number of threads whose files are open.
func (f *ThreadFiles) Len() int { return len(f.of) }

// keepCall opens a thread's syscall file if there is room.
func (f *ThreadFiles) keepCall(e *ThreadFile, tid int) {
	if e.call >= 0 || f.calls >= f.limit/callsShare {
		return
	}
	if e.call = openTask(f.Dir.fd, tid, "/syscall\x00"); e.call >= 0 {
		f.calls++
	}
}

// remove closes the files of a thread. A caller may still hold e for a thread that has ended, so
// its descriptors are invalidated.
func (f *ThreadFiles) remove(tid int, e *ThreadFile) {
	delete(f.of, tid)
	if e.call >= 0 {
		f.calls--
	}
	closeFD(e.schedstat)
	closeFD(e.stat)
	closeFD(e.call)
	e.schedstat, e.stat, e.call = -1, -1, -1
	e.closeKept()
}

func (e *ThreadFile) closeKept() {
	if e.Kept != nil {
		_ = e.Kept.Close() // only read
		e.Kept = nil
	}
}

// CloseKept closes the Kept of every thread.
func (f *ThreadFiles) CloseKept() {
	for _, e := range f.of {
		e.closeKept()
	}
}

// Count returns how often the thread was scheduled in. It returns false if that is not known, as
// when the kernel does not count and writes zeros, or if e is nil. It also updates Ran and
// Queued.
func (f *ThreadFiles) Count(e *ThreadFile) (runs uint64, ok bool) {
	if e == nil {
		return 0, false
	}
	n := preadRaw(e.schedstat, f.buf[:])
	c := fields{rest: bytes.TrimRight(f.buf[:n], "\n")}
	ran, queued := c.decimal(), c.decimal()
	runs = c.decimal()
	if c.bad || runs == 0 {
		return 0, false
	}
	e.Ran, e.Queued = nanoseconds(ran), nanoseconds(queued)
	return runs, true
}

// Drop closes the files of a thread.
func (f *ThreadFiles) Drop(tid int) {
	if e := f.of[tid]; e != nil {
		f.remove(tid, e)
	}
}

// sweep closes the files of threads that were not in the last listing.
func (f *ThreadFiles) sweep(ids []task.ThreadID) {
	if len(f.of) <= len(ids) {
		return
	}
	f.listing++
	for _, id := range ids {
		if e := f.of[int(id)]; e != nil {
			e.seen = f.listing
		}
	}
	for tid, e := range f.of {
		if e.seen != f.listing {
			f.remove(tid, e)
		}
	}
}

// Close closes all files but Dir.
func (f *ThreadFiles) Close() {
	for tid := range f.of {
		f.Drop(tid)
	}
}

// read reads a thread's stat file; nothing when the thread no longer exists. The text is valid
// until the next call.
func (f *ThreadFiles) read(tid int) []byte {
	f.ahead = 0
	return readTask(f.Dir.fd, tid, "/stat\x00", f.text[:])
}

// State returns the state of a thread, or [task.StateUnknown] and false when it no longer
// exists.
func (f *ThreadFiles) State(tid int) (state task.State, ok bool) {
	s, err := parseStat(f.read(tid))
	if err != nil {
		return task.StateUnknown, false
	}
	return threadState(s.state), true
}

func (f *ThreadFiles) isThere(tid int) bool {
	_, ok := f.State(tid)
	return ok
}

// readKept reads a thread's stat file, through the open file if the thread is sampled.
func (f *ThreadFiles) readKept(tid int) []byte {
	e := f.of[tid]
	if e == nil {
		return f.read(tid)
	}
	if e.stat < 0 {
		e.stat = openTask(f.Dir.fd, tid, "/stat\x00")
	}
	f.ahead = 0
	if e.stat >= 0 {
		if n := preadRaw(e.stat, f.text[:]); n > 0 {
			return f.text[:n]
		}
	}
	f.Drop(tid) // it has ended, though another thread may have its number
	return f.read(tid)
}

// Stat reads a thread's stat file. Its name is valid until the next call.
func (f *ThreadFiles) Stat(tid int) (Stat, error) { return parseStat(f.readKept(tid)) }

// isReady reports whether a thread is on a processor or waits for one. If Describe is called
// next for the same thread, it need not read the stat file again.
func (f *ThreadFiles) isReady(tid int) bool {
	s, err := f.Stat(tid)
	if err != nil {
		return false
	}
	f.ahead, f.first = tid, s
	return s.State() == task.Running
}

// describe reads a thread's stat, unless it was read ahead.
func (f *ThreadFiles) describe(tid int) (Stat, error) {
	if f.ahead == tid {
		f.ahead = 0
		return f.first, nil
	}
	return f.Stat(tid)
}

// Call returns the call in which a thread waits. It uses the thread's syscall file if that is
// open.
func (f *ThreadFiles) Call(tid int) (task.Syscall, error) {
	if e := f.of[tid]; e != nil && e.call >= 0 {
		if n := preadRaw(e.call, f.buf[:]); n > 0 {
			return ParseSyscall(f.buf[:n])
		}
	}
	return ParseSyscall(readTask(f.Dir.fd, tid, "/syscall\x00", f.buf[:]))
}

// TracerOf returns the id of the thread that traces a thread, 0 when there is none or the thread
// no longer exists.
func (f *ThreadFiles) TracerOf(tid int) int {
	if tid == 0 {
		return 0
	}
	var status [1024]byte // the line is near the start of the file
	return statusNumber(readTask(f.Dir.fd, tid, "/status\x00", status[:]), "TracerPid:")
}

// serverWait is the kernel function in which a thread waits for a file system's server
// (fs/fuse/dev.c). If the thread is ordered to stop, it asks the server to cancel the request,
// and does not stop before the server has answered.
const serverWait = "request_wait_answer"

// WaitsForServer reports whether a thread waits for a file system's server.
func (f *ThreadFiles) WaitsForServer(tid int) bool {
	return string(readTask(f.Dir.fd, tid, "/wchan\x00", f.buf[:])) == serverWait
}

// CPUTimes implements [task.ActivityReader].
func (p *Process) CPUTimes(id task.ThreadID) (ran, queued time.Duration, ok bool) {
	e := p.Files.Find(int(id))
	if e == nil {
		return 0, 0, false
	}
	if !e.fresh {
		if _, ok := p.Files.Count(e); !ok {
			p.Files.Drop(int(id))
			return 0, 0, false
		}
	}
	e.fresh = false
	return e.Ran, e.Queued, true
}
