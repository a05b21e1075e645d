//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/perfevent"
)

// Process is a live Linux process. It implements [task.Process].
//
// The kernel takes requests only from the operating system thread that
// attached, so Open locks the calling goroutine to its thread
// (runtime.LockOSThread), every method must be called from that goroutine,
// and Close unlocks it. (Memory may be read from others, one at a time.) Nothing
// else in this program may wait for the target meanwhile, should it be our own
// child: a wait for a child also reports the stops that are ours.
//
// A thread that would not stop during a suspension (it is deep in the kernel)
// stays attached until a later Threads, Suspend, Settle or Close finds it stopped.
// If Close does not either, it leaves the goroutine locked, and the kernel lets go
// of the thread when the goroutine ends, and with it the operating system thread;
// or, should that be the program's first, when the program ends.
type Process struct {
	pid      int
	tracer   int  // our operating system thread
	ownChild bool // we are the target's parent
	info     childInfo
	facts    task.Info

	process procDir // /proc/PID
	live    procDir // a thread that has not ended: the first one unless it has
	folder  string  // of live
	maps    int     // its maps
	stat    int     // that of process

	mem     memory
	threads threadTable
	stats   taskStats
	spans   spanTable
	mapsBuf bytes.Buffer
	spansOf []task.ThreadID // the threads when spans was read
	query   procmapQuery
	mapped  mapTable

	rests   restTable
	calm    int               // looks at which nothing had run, one after another
	observe perfevent.Options // how threads that run are copied; no Period: not at all
	waiting []waiting
	none    time.Time // when none of waiting stood
	held    []waiting // those that were captured and still stand
	holds   bool      // until all are captured
	kernel  kernelSight
	leaves  bool                   // every thread is left where it is
	sealed  error                  // why memory and calls may not be read; nil: they may
	spares  bool                   // threads that wait in a call which a stop would end
	insist  map[task.ThreadID]bool // but for these
	turns   bool                   // it is found out who has a processor
	part    []task.ThreadID        // that alone is stopped; nil: all are
	ordered time.Time              // when the first of all was told to stop
	maxStop time.Duration          // for which anything may stand, but for what is copied of each thread at least
	began   time.Time              // the stop, as far as the time for copies is concerned
	toCopy  int                    // threads, in that time
	gate    *task.Gate
	entered bool // the gate, in this suspension

	tcpPeers map[string]string // by inodes of sockets; nil: not asked for since the threads were listed

	traced     *task.TracedError // who kept us from a thread, in the last stop
	tracedID   int               // the thread that was last kept so
	seizeUntil time.Time         // others' threads are waited for, in this stop; zero: none was met
	reads      int               // of threads, in this round

	rescue     rescue
	alarm      alarm
	suspended  bool
	reading    reading
	resumeFunc func() error
	exited     *task.ExitedError
	regs       [maxRegset]byte
	maskKnown  bool // facts.CodeMask is what a thread said
	raised     bool // our thread is served first
	nice       int  // and had this before Open
	ordinary   bool // our thread may be put before the ordinary ones, of which it is one
	hurries    bool // and is
}

// Info implements [task.Process]. On arm64 CodeMask is exact from the first
// Suspend on.
func (p *Process) Info() task.Info { return p.facts }

// Memory implements [task.Process].
func (p *Process) Memory() task.Memory { return &p.mem }

// Regions implements [task.Process].
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		if p.sealed != nil {
			return // which is told with each thread
		}
		if err := p.readMaps(); err != nil {
			yield(task.Region{}, err)
			return
		}
		for line := range bytes.Lines(bytes.Clone(p.mapsBuf.Bytes())) {
			r, err := parseRegion(bytes.TrimSuffix(line, []byte("\n")))
			if err != nil {
				err = fmt.Errorf("%w: %q", err, line)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// readMaps reads /proc/PID/maps into mapsBuf.
func (p *Process) readMaps() error {
	p.mapsBuf.Reset()
	_ = rewind(p.maps)
	_, err := io.Copy(&p.mapsBuf, io.LimitReader(fdReader(p.maps), maxProcFile))
	if err != nil {
		return fmt.Errorf("read /proc/%d/maps: %w", p.pid, err)
	}
	p.mem.pages.silent = p.silentSpans(p.mapsBuf.Bytes())
	return nil
}

// fdReader reads a file descriptor that something else closes.
type fdReader int

func (fd fdReader) Read(b []byte) (int, error) {
	n, err := unix.Read(int(fd), b)
	if err != nil {
		return 0, os.NewSyscallError("read", err)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Threads implements [task.Process]. Outside a suspension it also makes the room
// that the next one needs.
func (p *Process) Threads() ([]task.ThreadID, error) {
	if p.suspended {
		return p.threads.identify(), nil
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	p.settle()
	p.stats.ahead = 0
	ids := p.threads.list()
	if len(ids) == 0 || p.mem.replaced() {
		return nil, p.exited
	}
	p.refill()
	p.rests.sweep(ids)
	p.tcpPeers = nil
	p.refreshSpans(ids)
	return ids, nil
}

// refill makes what a suspension may use up.
func (p *Process) refill() {
	p.mem.faults.refill()
	if !p.leaves {
		p.mem.pages.refill()
	}
	if p.mapped.isUsed {
		p.mapped.makeRoom()
	}
}

// refreshSpans reads the mappings again when there are other threads than
// before, or a stack was met that did not fit. Stacks that stay in use keep
// their end.
func (p *Process) refreshSpans(ids []task.ThreadID) {
	if !p.spans.stale && slices.Equal(ids, p.spansOf) {
		return
	}
	p.spansOf = append(p.spansOf[:0], ids...)
	if p.readMaps() == nil {
		p.spans.read(p.mapsBuf.Bytes())
	}
}

// check refuses calls that the kernel would.
func (p *Process) check() error {
	if p.process.fd < 0 {
		return os.ErrClosed
	}
	if unix.Gettid() != p.tracer {
		return errOtherThread
	}
	return nil
}

// Close implements [task.Process].
func (p *Process) Close() error {
	if err := p.check(); err != nil {
		return err
	}
	err := p.resume()
	p.settle()
	p.awaitHalted()
	p.rests.close()
	p.closeFiles()
	p.alarm.close()
	p.restorePriority()
	if !slices.ContainsFunc(p.threads.all, func(th thread) bool { return th.phase.attached() }) {
		runtime.UnlockOSThread()
	}
	return err
}

func (p *Process) closeFiles() {
	p.mem.pages.close()
	for _, fd := range []*int{&p.maps, &p.stat, &p.mem.file, &p.threads.dir, &p.live.fd, &p.process.fd} {
		closeFD(*fd)
		*fd = -1
	}
}
