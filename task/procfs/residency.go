//go:build linux

package procfs

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// A read of the target's memory faults in a page that is missing, as an access by the target
// itself would, and may wait for ever for whoever provides it: a userfaultfd that nobody serves,
// a file system in user space, a hung server. Only the end of our process ends that wait, and a
// tracer that waits releases no thread.
//
// So the tracer reads only resident pages, as /proc/PID/pagemap reports them. Other pages are
// read by a helper, for which it waits a little. A helper that does not come back is given up,
// and blocks nothing but itself.

// Why less was read than was requested. The system returns no such errors.
const (
	errnoBlocks   = unix.ETIME     // the text is in faultStore
	errnoOverTime = unix.EOVERFLOW // likewise
	errnoStarved  = unix.EXFULL    // likewise
	errnoGuard    = unix.EBADE     // likewise: a guard page of the target, no access to which succeeds
)

var (
	ErrBlocks   = errors.New("reading it blocks: whoever provides the page does not answer")
	errStarved  = errors.New("what was to read it had no processor")
	ErrOverTime = errors.New("the time for which the target may be stopped was over (--max-stop)")
)

const (
	helperTimeout  = 100 * time.Millisecond // from when the helper begins to read
	starvedTimeout = 2 * time.Second        // until the helper begins to read
	helperRead     = 256 << 10              // the most bytes a helper reads at once
	helpersAhead   = 2
	maxStuck       = 16
	entriesAtOnce  = 128 // pagemap entries: 512 KB of memory on most systems
)

// residency knows which pages are resident, and has helpers that read the others.
type residency struct {
	pagemap int // file; −1: the system does not report residency, and all pages are taken to be resident
	page    int // page size
	buf     [8 * entriesAtOnce]byte
	silent  []span // mappings whose missing pages are not read: see silentSpans
	idle    []*fetcher
	late    bool        // helpers are made when one is needed, because nothing is stopped meanwhile
	stuck   []task.Addr // the pages at which helpers were given up
	gaveUp  unix.Errno  // why the last helper was given up
	timer   *time.Timer
	starved time.Duration // how long to wait for a helper that has no processor
}

func newResidency() residency {
	p := residency{pagemap: -1, page: os.Getpagesize(), stuck: make([]task.Addr, 0, maxStuck), idle: make([]*fetcher, 0, helpersAhead), gaveUp: errnoBlocks, starved: starvedTimeout}
	p.timer = time.NewTimer(time.Hour)
	p.timer.Stop()
	return p
}

// fetcher is a helper that reads for a caller that must not wait for ever. It has its own
// buffer.
type fetcher struct {
	asks    chan ask
	answers chan answer
	buf     []byte
	made    time.Time
	began   atomic.Int64 // when it began the request, after made; 0: not yet
}

func newFetcher() *fetcher {
	return &fetcher{asks: make(chan ask, 1), answers: make(chan answer, 1), buf: make([]byte, helperRead), made: time.Now()}
}

type ask struct {
	tid, file, n int
	from         task.Addr
}

type answer struct {
	n     int
	errno unix.Errno
}

// refill makes helpers. It is called while the target runs.
func (p *residency) refill() {
	if p.pagemap < 0 || len(p.stuck) >= maxStuck {
		return
	}
	for len(p.idle) < helpersAhead {
		h := newFetcher()
		go h.run()
		p.idle = append(p.idle, h)
	}
}

func (h *fetcher) run() {
	for a := range h.asks {
		h.began.Store(int64(time.Since(h.made)))
		n, errno := vmRead(a.tid, h.buf[:a.n], a.from)
		if errno == unix.EPERM || errno == unix.ENOSYS || errno == unix.ESRCH {
			n, errno = readFile(a.file, h.buf[:a.n], a.from)
		}
		h.answers <- answer{n, errno}
	}
}

func (p *residency) close() {
	closeFD(p.pagemap)
	p.pagemap = -1
	for _, h := range p.idle {
		close(h.asks)
	}
	p.idle = nil
	p.timer.Stop()
}

// The bits of an entry of pagemap (Documentation/admin-guide/mm/pagemap.rst).
const (
	presentBit = 1 << 63
	guardBit   = 1 << 58 // of MADV_GUARD_INSTALL, from Linux 6.15 on; glibc 2.42 guards stacks by it
)

// pageState says how a page is to be read.
type pageState uint8

const (
	pageAbsent  pageState = iota // by a helper
	pagePresent                  // at once
	pageGuard                    // not at all
)

// extent returns how many of n bytes at a are on pages of the same state, and which that is.
func (p *residency) extent(a task.Addr, n int) (length int, state pageState) {
	if p.pagemap < 0 {
		if _, silent := spanOf(p.silent, a); silent {
			return n, pageAbsent
		}
		return n, pagePresent
	}
	size := task.Addr(p.page)
	first := a / size
	pages := int(min((a+task.Addr(n)-1)/size-first+1, entriesAtOnce))
	got, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(p.pagemap), uintptr(unsafe.Pointer(&p.buf[0])),
		uintptr(8*pages), uintptr(8*first), 0, 0)
	if errno != 0 || got < 8 {
		return n, pagePresent // beyond user space, which is read at once, or not at all
	}
	pages = int(got / 8)
	same := 1
	state = p.stateOf(0)
	for same < pages && p.stateOf(same) == state {
		same++
	}
	return min(n, int((first+task.Addr(same))*size-a)), state
}

func (p *residency) stateOf(i int) pageState {
	switch entry := binary.LittleEndian.Uint64(p.buf[8*i:]); {
	case entry&presentBit != 0:
		return pagePresent
	case entry&guardBit != 0:
		return pageGuard
	}
	return pageAbsent
}

// read has a helper read pages that are not resident.
func (p *residency) read(tid, file int, b []byte, a task.Addr) (int, unix.Errno) {
	page := a &^ task.Addr(p.page-1)
	if _, silent := spanOf(p.silent, a); silent || slices.Contains(p.stuck, page) {
		return 0, errnoBlocks
	}
	if p.late {
		p.refill()
	}
	if len(p.idle) == 0 {
		return 0, p.gaveUp
	}
	h := p.idle[len(p.idle)-1]
	h.began.Store(0)
	h.asks <- ask{tid, file, min(len(b), len(h.buf)), a}
	got, errno := p.await(h)
	if errno == 0 {
		return copy(b, h.buf[:max(got.n, 0)]), got.errno
	}
	p.idle, p.gaveUp = p.idle[:len(p.idle)-1], errno
	close(h.asks)
	if errno == errnoBlocks && len(p.stuck) < cap(p.stuck) {
		p.stuck = append(p.stuck, page)
	}
	return 0, errno
}

// await waits for a helper's answer, or returns why there is none. On a busy machine it may take
// long until the helper runs, which is not the page's fault.
func (p *residency) await(h *fetcher) (answer, unix.Errno) {
	asked := time.Now()
	for left := helperTimeout; left > 0; {
		p.timer.Reset(left)
		select {
		case got := <-h.answers:
			p.timer.Stop()
			return got, 0
		case <-p.timer.C:
		}
		if began := time.Duration(h.began.Load()); began != 0 {
			left = helperTimeout - (time.Since(h.made) - began)
		} else if left = helperTimeout; time.Since(asked) > p.starved {
			return answer{}, errnoStarved
		}
	}
	return answer{}, errnoBlocks
}
