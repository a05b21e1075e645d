// Command goinlined has a goroutine that waits for ever in a function that is inlined
// in one that is inlined.
package main

import (
	"fmt"
	"runtime"
	"syscall"
)

func main() {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		panic(err)
	}
	go func() {
		runtime.LockOSThread()
		trunk(ends[0])
	}()
	fmt.Println("goinlined ready")
	select {}
}

//go:noinline
func trunk(fd int) {
	if fd >= 0 {
		branch(fd)
	}
	fmt.Println("not reached")
}

func branch(fd int) {
	for i := range 3 {
		leaf(fd + i)
	}
}

func leaf(fd int) {
	wait(fd)
}

//go:noinline
func wait(fd int) {
	var b [1]byte
	_, _ = syscall.Read(fd, b[:])
}
