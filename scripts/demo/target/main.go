// Command target is a program with something to look at: a thread that burns
// CPU, one that waits for input which never comes, and two that wait for each
// other's lock. The locks are flock(2) locks, so that it is threads that block,
// not goroutines. It prints "ready" and runs until its standard input closes.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

func main() {
	dir, err := os.MkdirTemp("", "stacksnap-demo")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(dir)
	onThread(busy)
	onThread(blocked)
	deadlock(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// onThread runs f on a thread of its own.
func onThread(f func()) {
	go func() {
		runtime.LockOSThread()
		f()
	}()
}

var sink atomic.Uint64

func busy() {
	for i := uint64(1); ; i++ {
		sink.Store(collatz(i))
	}
}

//go:noinline
func collatz(n uint64) uint64 {
	steps := uint64(0)
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

// blocked reads from a pipe into which nobody writes.
func blocked() {
	var fd [2]int
	if err := syscall.Pipe(fd[:]); err != nil {
		fail(err)
	}
	_, _ = syscall.Read(fd[0], make([]byte, 1))
}

// deadlock starts two threads that each hold one lock and wait for the other's,
// and returns when both hold theirs.
func deadlock(a, b string) {
	var holding sync.WaitGroup
	holding.Add(2)
	onThread(func() { lockBoth(a, b, &holding) })
	onThread(func() { lockBoth(b, a, &holding) })
	holding.Wait()
}

func lockBoth(first, second string, holding *sync.WaitGroup) {
	lock(first)
	holding.Done()
	holding.Wait()
	lock(second)
}

//go:noinline
func lock(file string) {
	fd, err := syscall.Open(file, syscall.O_CREAT|syscall.O_RDWR, 0o600)
	if err != nil {
		fail(err)
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "target:", err)
	os.Exit(1)
}
