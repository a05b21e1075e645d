//go:build linux

package main

import "golang.org/x/sys/unix"

func stackPointer(r *unix.PtraceRegs) uintptr { return uintptr(r.Rsp) }
