//go:build cgo

package main

/*
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void inner(void) { usleep(50000); sink++; }

__attribute__((noinline)) static void outer(void) { inner(); sink++; }
*/
import "C"

// wait sleeps for a moment in C.
//
//go:noinline
func wait() {
	C.outer()
	sink++
}
