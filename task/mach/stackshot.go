package mach

import (
	"bytes"
	"fmt"

	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// Flags of a stackshot (STACKSHOT_*, osfmk/kern/debug.h).
const (
	shotQueues     = 0x1       // GET_DQ: serial numbers and labels of dispatch queues
	shotImages     = 0x2       // SAVE_LOADINFO: the load addresses of images outside the shared cache
	shotKexts      = 0x8       // SAVE_KEXT_LOADINFO: the same for the kernel
	shotWithStack  = 0x100     // ACTIVE_KERNEL_THREADS_ONLY: only threads that have a kernel stack
	shotKcdata     = 0x10000   // KCDATA_FORMAT: required
	shotFaults     = 0x20000   // ENABLE_BT_FAULTING: also read stacks that are compressed in memory
	shotDelta      = 0x40000   // COLLECT_DELTA_SNAPSHOT
	shotImageFault = 0x200000  // ENABLE_UUID_FAULTING: the same for image lists
	shotNoIO       = 0x800000  // NO_IO_STATS
	shotWaits      = 0x1000000 // THREAD_WAITINFO: who owns what a thread waits for
)

// shotFlags returns the flags to request. What no report shows is not requested, because all
// processors stop while it is written: for example SAVE_DYLD_COMPACTINFO, which has up to 64 KB
// for each process in dyld's own format. The kernel limits the cost of page faults to 3 ms
// (KDP_FAULT_PATH_MAX_TIME_PER_STACKSHOT_NSECS, osfmk/kern/kern_stackshot.c). For the kernel
// itself only its images are requested.
func shotFlags(pid int) uint64 {
	const all = shotKcdata | shotImages | shotQueues | shotWaits | shotNoIO | shotFaults | shotImageFault
	switch pid {
	case stackshot.OfAll:
		return all | shotKexts
	case stackshot.OfKernel:
		return shotKcdata | shotImages | shotKexts | shotWithStack | shotNoIO
	}
	return all
}

// shotFunctions are the functions that must exist (libsyscall/wrappers/stackshot.c; all of them
// since xnu-3789, macOS 10.12).
var shotFunctions = []string{
	"stackshot_config_create", "stackshot_config_set_pid", "stackshot_config_set_flags",
	"stackshot_config_set_size_hint", "stackshot_config_set_delta_timestamp",
	"stackshot_capture_with_config", "stackshot_config_get_stackshot_buffer",
	"stackshot_config_get_stackshot_size", "stackshot_config_dealloc_buffer", "stackshot_config_dealloc",
}

// Stackshots takes the kernel's stackshots of one process, or of all. It is not safe for
// concurrent use.
type Stackshots struct {
	k      kernel
	pid    int
	config shotConfig // 0: released
	hint   uint32     // size hint; 0: the kernel's own
}

var _ stackshot.Source = (*Stackshots)(nil)

// OpenStackshots prepares stackshots of a process, of [stackshot.OfKernel] or of
// [stackshot.OfAll]. It takes none yet. The error wraps [stackshot.ErrNoSource] if the system
// does not have the calls.
func OpenStackshots(pid int) (*Stackshots, error) {
	k, err := systemKernel()
	if err != nil {
		return nil, err
	}
	return openStackshots(k, pid)
}

func openStackshots(k kernel, pid int) (*Stackshots, error) {
	for _, function := range shotFunctions {
		if !k.exports(function) {
			return nil, fmt.Errorf("%w: its libraries lack %s", stackshot.ErrNoSource, function)
		}
	}
	c, e := k.newShot()
	if e != ok || c == 0 {
		return nil, fmt.Errorf("stackshot_config_create: %w", e)
	}
	s := &Stackshots{k: k, pid: pid, config: c}
	if e := k.shotPID(c, pid); e != ok {
		_ = s.Close() // it never fails
		return nil, fmt.Errorf("stackshot_config_set_pid: %w", e)
	}
	return s, nil
}

// Close implements [stackshot.Source]. It may be called repeatedly.
func (s *Stackshots) Close() error {
	if s.config != 0 {
		s.k.freeShot(s.config) // the kernel refuses only what is not a config
		s.config = 0
	}
	return nil
}

// The bounds of taking a stackshot. If the buffer is too small for the kernel's own estimate,
// the kernel enlarges it, up to SANE_TRACEBUF_SIZE (8 MB) or a thousandth of the memory; old
// kernels gave up. It ignores a hint above that bound.
const (
	shotTries   = 5
	firstHint   = 8 << 20
	largestHint = 64 << 20
)

// Take implements [stackshot.Source]: it returns what has changed since a time, or everything if
// that is 0. The error is a *[task.NoProcessError], or a *[task.PermissionError] that says what
// would help, or it wraps [stackshot.ErrNoSource].
func (s *Stackshots) Take(since uint64) ([]byte, error) {
	for tries := 1; ; tries++ {
		b, call, e := s.try(since)
		if e == ok {
			return b, nil
		}
		if tries == shotTries || !s.again(e) {
			return nil, s.refusal(call, e)
		}
	}
}

// again reports whether another try may succeed, and enlarges the buffer if its size was the
// problem. The kernel may have met something that was just changing (EBUSY), a processor may not
// have stopped in time, or nothing was written for an unknown reason (EINTR).
func (s *Stackshots) again(e Errno) bool {
	switch e {
	case tooSmall:
		if s.hint >= largestHint {
			return false
		}
		s.hint = max(firstHint, 2*s.hint)
		return true
	case busy, notInTime, interrupted:
		return true
	}
	return false
}

// try takes one stackshot. call is the last call that it made.
func (s *Stackshots) try(since uint64) (b []byte, call string, e Errno) {
	flags := shotFlags(s.pid)
	if since != 0 {
		flags |= shotDelta
	}
	if e := s.k.shotFlags(s.config, flags); e != ok {
		return nil, "stackshot_config_set_flags", e
	}
	if e := s.k.shotSince(s.config, since); e != ok {
		return nil, "stackshot_config_set_delta_timestamp", e
	}
	if e := s.k.shotHint(s.config, s.hint); e != ok {
		return nil, "stackshot_config_set_size_hint", e
	}
	if e := s.k.captureShot(s.config); e != ok {
		return nil, "stackshot_capture_with_config", e
	}
	defer s.k.dropShot(s.config)
	if b = bytes.Clone(s.k.shotBuffer(s.config)); len(b) == 0 {
		return nil, "stackshot_config_get_stackshot_buffer", interrupted
	}
	return b, "", ok
}

// refusal says what an error means, and what to do.
func (s *Stackshots) refusal(call string, e Errno) error {
	switch e {
	case notPermitted:
		return &task.PermissionError{PID: s.pid, Asked: call + ": " + e.Error(), Remedy: s.remedy(), Err: e}
	case noEntry, noProcess:
		if s.pid != stackshot.OfAll {
			return &task.NoProcessError{PID: s.pid}
		}
	case notSup, noCall:
		return fmt.Errorf("%w (%s: %w)", stackshot.ErrNoSource, call, e)
	case tooSmall, noMemory:
		return fmt.Errorf("the kernel has no room for a stackshot (%s: %w): try again, or of one process", call, e)
	}
	return fmt.Errorf("the kernel took no stackshot (%s: %w): try again", call, e)
}

// remedy returns one line in the imperative. XNU requires root and, with a certain boot
// argument, an entitlement that only Apple grants (bsd/kern/stackshot.c).
func (s *Stackshots) remedy() string {
	if _, euid := s.k.self(); euid != 0 {
		return "run stacksnap with sudo: only root may take stackshots"
	}
	return "use Apple's own sudo spindump: this system keeps stackshots from programs without the entitlement com.apple.private.stackshot, run by root too"
}

// Path implements [stackshot.Source].
func (s *Stackshots) Path(pid int, a task.Addr) string { return s.k.regionPath(pid, a) }
