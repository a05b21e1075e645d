// Package golang reads the goroutines of a Go program from its memory: those that no
// thread runs, with their stacks, and which one each thread runs.
//
// A Go program is recognised by Go's function table. The list of goroutines
// (runtime.allglen, runtime.allgptr), the version and the names of wait reasons are found
// by their symbols, and the fields of a goroutine by a table of versions, which
// scripts/fixtures/golayouts makes. It holds for Linux and macOS. Whatever is read is
// checked: a goroutine refers to itself, and its stack pointer is in its stack.
//
// In a stripped program the variables are found by the code of the runtime's functions that use them, which
// Go's function table names. Each is proven by what is in it: a list of goroutines begins with the main one.
//
// The channels and locks for which goroutines wait are those of their runtime.sudog, which refers to the
// goroutine: for channels the goroutine has it, for locks the table of semaphores (runtime.semtable).
//
// The goroutine that a thread runs is that of its runtime.m, which is found in runtime.allm by the
// thread's number and copied with the thread's stack, as is the goroutine. Each has to refer to the other.
//
// The target may keep running. A goroutine is read before and after its stack is copied,
// and once more if the two readings differ.
package golang
