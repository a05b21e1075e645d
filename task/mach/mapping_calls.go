//go:build cgo && (darwin || machstandin)

package mach

// #include "mach.h"
import "C"

import (
	"unsafe"

	"stacksnap/task"
)

func (xnu) remapNew(t port, a task.Addr, n uint64) ([]byte, Return) {
	return goMapping(C.mk_remap_new(C.uint32_t(t), C.uint64_t(a), C.uint64_t(n)), n)
}

func (xnu) remap(t port, a task.Addr, n uint64) ([]byte, Return) {
	return goMapping(C.mk_remap(C.uint32_t(t), C.uint64_t(a), C.uint64_t(n)), n)
}

// goMapping returns a slice of memory that the Go runtime does not manage.
func goMapping(m C.mk_mapping, n uint64) ([]byte, Return) {
	if m.ret != 0 {
		return nil, Return(m.ret)
	}
	return unsafe.Slice((*byte)(m.at), n), success
}

func (xnu) readOnly(b []byte) Return {
	if len(b) == 0 {
		return success
	}
	return Return(C.mk_read_only(unsafe.Pointer(&b[0]), C.uint64_t(len(b))))
}

func (xnu) unmap(b []byte) Return {
	if len(b) == 0 {
		return success
	}
	return Return(C.mk_unmap(unsafe.Pointer(&b[0]), C.uint64_t(len(b))))
}

func (xnu) backing(b []byte) (backing, Return) {
	if len(b) == 0 {
		return backing{}, invalidArgument
	}
	r, ret := goRegion(C.mk_own_region(unsafe.Pointer(&b[0])))
	before := task.Addr(uintptr(unsafe.Pointer(&b[0]))) - r.start
	if ret != success || !r.contains(r.start+before) {
		return backing{}, ret
	}
	return backing{object: r.object, offset: r.offset + uint64(before), size: uint64(r.end-r.start) - uint64(before)}, success
}
