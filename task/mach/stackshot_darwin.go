//go:build cgo

package mach

// #include <stdlib.h>
// #include "mach.h"
import "C"

import "unsafe"

func (xnu) exports(function string) bool {
	name := C.CString(function)
	defer C.free(unsafe.Pointer(name))
	return C.mk_exports(name) != 0
}

func (xnu) newShot() (shotConfig, Errno) {
	r := C.mk_shot_create()
	return shotConfig(r.n), Errno(r.ret)
}

func (xnu) shotPID(c shotConfig, pid int) Errno {
	return Errno(C.mk_shot_pid(C.uint64_t(c), C.int(pid)))
}

func (xnu) shotFlags(c shotConfig, flags uint64) Errno {
	return Errno(C.mk_shot_flags(C.uint64_t(c), C.uint64_t(flags)))
}

func (xnu) shotHint(c shotConfig, size uint32) Errno {
	return Errno(C.mk_shot_hint(C.uint64_t(c), C.uint32_t(size)))
}

func (xnu) shotSince(c shotConfig, time uint64) Errno {
	return Errno(C.mk_shot_since(C.uint64_t(c), C.uint64_t(time)))
}

func (xnu) captureShot(c shotConfig) Errno { return Errno(C.mk_shot_capture(C.uint64_t(c))) }

// shotBuffer makes a slice of memory that the Go runtime knows nothing of.
func (xnu) shotBuffer(c shotConfig) []byte {
	b := C.mk_shot_buffer(C.uint64_t(c))
	if b.at == nil {
		return nil
	}
	return unsafe.Slice((*byte)(b.at), int(b.size))
}

func (xnu) dropShot(c shotConfig) Errno { return Errno(C.mk_shot_drop(C.uint64_t(c))) }

func (xnu) freeShot(c shotConfig) Errno { return Errno(C.mk_shot_free(C.uint64_t(c))) }
