package perfevent

import (
	"encoding/binary"
	"iter"
)

// MaxChain is the maximum number of kernel frames in a sample: as many as in a stack
// file of /proc (MAX_STACK_TRACE_DEPTH, fs/proc/base.c).
const MaxChain = 64

// Words of a call chain that are not addresses mark whose addresses follow (enum
// perf_callchain_context, include/uapi/linux/perf_event.h).
const (
	contextMax    = ^uint64(4095) + 1 // −4095: such words start here
	contextKernel = ^uint64(128) + 1  // −128
)

// KernelAddrs yields where in the kernel the thread was: the interrupted instruction
// first, then return addresses. It yields none if the thread was in user code.
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
