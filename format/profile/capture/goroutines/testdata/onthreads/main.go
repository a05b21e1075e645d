// Command onthreads runs goroutines on threads in known ways, and prints for each of them a line:
// "blocked GOROUTINE THREAD" of one that blocks in a system call on a thread of its own, and "turns
// GOROUTINE FUNCTION" of one that takes turns with others on any thread, in a function of its own; in the end
// "ready". The former have the label "number", from 0.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"syscall"
)

// self returns the number of the goroutine.
func self() string {
	b := make([]byte, 64)
	return string(bytes.Fields(b[:runtime.Stack(b, false)])[1])
}

func blocked(number int, lines chan<- string) {
	runtime.LockOSThread()
	pprof.Do(context.Background(), pprof.Labels("number", strconv.Itoa(number)), func(context.Context) {
		var ends [2]int
		if err := syscall.Pipe(ends[:]); err != nil {
			panic(err)
		}
		lines <- fmt.Sprintln("blocked", self(), syscall.Gettid())
		_, _ = syscall.Read(ends[0], make([]byte, 1))
	})
}

var sum [3]int

//go:noinline
func spin0() {
	for i := 0; i < 1000; i++ {
		sum[0]++
	}
}

//go:noinline
func spin1() {
	for i := 0; i < 1000; i++ {
		sum[1]++
	}
}

//go:noinline
func spin2() {
	for i := 0; i < 1000; i++ {
		sum[2]++
	}
}

func turns(number int, spin func(), lines chan<- string) {
	lines <- fmt.Sprintln("turns", self(), "main.spin"+strconv.Itoa(number))
	for {
		spin()
		runtime.Gosched()
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	lines := make(chan string)
	n := 0
	for ; n < 5; n++ {
		go blocked(n, lines)
	}
	for i, spin := range []func(){spin0, spin1, spin2} {
		go turns(i, spin, lines)
		n++
	}
	for ; n > 0; n-- {
		fmt.Print(<-lines)
	}
	for b := make([]byte, 1<<20); bytes.Count(b[:runtime.Stack(b, true)], []byte("[syscall, locked to thread]")) < 5; {
		runtime.Gosched()
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is closed
}
