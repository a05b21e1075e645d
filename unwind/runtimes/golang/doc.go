// Package golang reads the goroutines of a Go program from its memory: those that no
// thread runs, and which are running.
//
// The runtime recognises itself by Go's function table. The list of goroutines
// (runtime.allglen, runtime.allgptr), the version and the names of what a goroutine
// waits in are found by their symbols, and the fields of a goroutine by a table of
// versions, which scripts/fixtures/golayouts makes. Whatever is read is checked: a
// goroutine refers to itself, and its stack pointer is in its stack.
//
// The target may run on meanwhile. A goroutine is read before and after its stack is
// copied, and again if that differs.
package golang
