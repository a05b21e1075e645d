package perfevent

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// Options says how a thread is sampled.
type Options struct {
	Host   task.Arch     // the kernel's architecture: AMD64 or ARM64
	Period time.Duration // the thread's CPU time between two samples
	Stack  int           // maximum bytes of stack: FirstStack to MaxStack
	// User: only in user code; an ordinary user may not see the kernel.
	User bool
	// Kernel: with the kernel's call chain.
	Kernel bool
}

// Event has the samples of one thread. It is used by one goroutine.
type Event struct {
	fd     int
	form   form
	mapped []byte // struct perf_event_mmap_page, then the ring
	data   ring
	head   *uint64
	seen   uint64 // head at the last check
	record []byte // the last sample returned
	spare  []byte // buffer for the next one
}

// Open starts sampling a thread. The error is the kernel's, a [unix.Errno].
func Open(tid int, o Options) (*Event, error) {
	attr := o.attributes()
	fd, err := unix.PerfEventOpen(&attr, tid, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("perf_event_open", err)
	}
	size := ringFor(o.Stack)
	mapped, err := unix.Mmap(fd, 0, os.Getpagesize()+size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("mmap", err)
	}
	page := (*unix.PerfEventMmapPage)(unsafe.Pointer(&mapped[0]))
	return &Event{
		fd: fd, form: form{o.Host, o.Kernel}, mapped: mapped, data: ring(mapped[os.Getpagesize():]),
		head: &page.Data_head, record: make([]byte, o.Stack+besideStack), spare: make([]byte, o.Stack+besideStack),
	}, nil
}

func (o *Options) attributes() unix.PerfEventAttr {
	a := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK, Sample: uint64(o.Period),
		Sample_type: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CPU |
			unix.PERF_SAMPLE_REGS_USER | unix.PERF_SAMPLE_STACK_USER,
		Bits:             unix.PerfBitExcludeHv | unix.PerfBitUseClockID | unix.PerfBitWriteBackward,
		Sample_regs_user: mask(o.Host), Sample_stack_user: uint32(o.Stack), Clockid: unix.CLOCK_MONOTONIC,
		Wakeup: 1 << 30, // nobody waits
	}
	a.Size = uint32(unsafe.Sizeof(a))
	if o.User {
		a.Bits |= unix.PerfBitExcludeKernel
	}
	if o.Kernel {
		a.Sample_type |= unix.PERF_SAMPLE_CALLCHAIN
		a.Bits |= unix.PerfBitExcludeCallchainUser
		a.Sample_max_stack = MaxChain
	}
	return a
}

// Newest fills s with the newest sample, and reports whether it is one that was not
// returned before; otherwise s is unchanged. The stack is valid until the next sample
// is returned.
func (e *Event) Newest(s *Sample) (bool, error) {
	const tries = 3
	for range tries {
		head := atomic.LoadUint64(e.head)
		if head == e.seen {
			return false, nil
		}
		record, end := e.data.newest(head, e.spare)
		if !e.data.intact(head, atomic.LoadUint64(e.head), end) {
			continue
		}
		if e.seen = head; record == nil {
			return false, nil
		}
		var next Sample
		if err := parse(e.form, record, &next); err != nil {
			return false, fmt.Errorf("perf_event_open: %w", err)
		}
		e.record, e.spare, *s = e.spare, e.record, next
		return true, nil
	}
	return false, nil
}

// Close stops sampling.
func (e *Event) Close() error {
	e.data, e.head = nil, new(uint64)
	e.seen = 0
	err := unix.Munmap(e.mapped)
	if closeErr := unix.Close(e.fd); err == nil {
		err = closeErr
	}
	return err
}
