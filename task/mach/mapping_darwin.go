//go:build cgo

package mach

// #include "mach_darwin.h"
import "C"

import (
	"time"
	"unsafe"

	"stacksnap/task"
)

func (xnu) remapNew(t port, a task.Addr, n uint64) ([]byte, Return) {
	return goMapping(C.mk_remap_new(C.uint32_t(t), C.uint64_t(a), C.uint64_t(n)), n)
}

func (xnu) remap(t port, a task.Addr, n uint64) ([]byte, Return) {
	return goMapping(C.mk_remap(C.uint32_t(t), C.uint64_t(a), C.uint64_t(n)), n)
}

// goMapping makes a slice of memory that the Go runtime knows nothing of.
func goMapping(m C.mk_mapping, n uint64) ([]byte, Return) {
	if m.ret != 0 {
		return nil, Return(m.ret)
	}
	return unsafe.Slice((*byte)(m.at), n), success
}

func (xnu) readOnly(b []byte) Return {
	return Return(C.mk_read_only(unsafe.Pointer(unsafe.SliceData(b)), C.uint64_t(len(b))))
}

func (xnu) unmap(b []byte) Return {
	return Return(C.mk_unmap(unsafe.Pointer(unsafe.SliceData(b)), C.uint64_t(len(b))))
}

func (xnu) backing(b []byte) (backing, Return) {
	at := unsafe.Pointer(unsafe.SliceData(b))
	r, ret := goRegion(C.mk_own_region(at))
	before := task.Addr(uintptr(at)) - r.start
	if ret != success || !r.contains(r.start+before) {
		return backing{}, ret
	}
	return backing{object: r.object, offset: r.offset + uint64(before), size: uint64(r.end-r.start) - uint64(before)}, success
}

func (xnu) timeConstraint(period, computation, constraint time.Duration) Return {
	return Return(C.mk_time_constraint(C.uint64_t(period), C.uint64_t(computation), C.uint64_t(constraint)))
}

func (xnu) standardPolicy() Return { return Return(C.mk_standard_policy()) }
