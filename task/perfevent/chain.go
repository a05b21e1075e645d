package perfevent

import (
	"encoding/binary"
	"iter"
)

// MaxChain is how many functions of the kernel a sample tells at most: as many as a stack
// file of /proc does (MAX_STACK_TRACE_DEPTH, fs/proc/base.c).
const MaxChain = 64

// The words of a call chain that are no addresses say whose those are that follow (enum
// perf_callchain_context, include/uapi/linux/perf_event.h).
const (
	contextMax    = ^uint64(4095) + 1 // −4095: from there on
	contextKernel = ^uint64(128) + 1  // −128
)

// KernelAddrs gives where in the kernel the thread was: the instruction that was
// interrupted first, then return addresses. There are none where it was in user code.
func (s *Sample) KernelAddrs() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		inKernel, n := false, 0
		for rest := s.Kernel; len(rest) >= 8; rest = rest[8:] {
			switch a := binary.LittleEndian.Uint64(rest); {
			case a >= contextMax:
				inKernel = a == contextKernel
			case !inKernel:
			case !yield(n, a):
				return
			default:
				n++
			}
		}
	}
}
