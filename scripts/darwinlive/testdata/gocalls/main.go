// Command gocalls COUNT has that many threads, the main one among them, each
// with a goroutine of its own that is fifty calls deep, and says when they are.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

var (
	sink  int
	there sync.WaitGroup
)

func init() { runtime.LockOSThread() }

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	runtime.GOMAXPROCS(count + 2) // so that none waits for another after a call
	there.Add(count)
	for range count - 1 {
		go onThread()
	}
	go func() {
		there.Wait()
		fmt.Println(os.Getpid(), "ready")
	}()
	call0(50)
}

//go:noinline
func onThread() {
	runtime.LockOSThread()
	call0(50)
	sink++
}

// Ten calls, each of the next, and the tenth of the first again.

//go:noinline
func call0(left int) { call1(left - 1); sink++ }

//go:noinline
func call1(left int) { call2(left - 1); sink++ }

//go:noinline
func call2(left int) { call3(left - 1); sink++ }

//go:noinline
func call3(left int) { call4(left - 1); sink++ }

//go:noinline
func call4(left int) { call5(left - 1); sink++ }

//go:noinline
func call5(left int) { call6(left - 1); sink++ }

//go:noinline
func call6(left int) { call7(left - 1); sink++ }

//go:noinline
func call7(left int) { call8(left - 1); sink++ }

//go:noinline
func call8(left int) { call9(left - 1); sink++ }

//go:noinline
func call9(left int) {
	if left > 1 {
		call0(left - 1)
	} else {
		end()
	}
	sink++
}

//go:noinline
func end() {
	there.Done()
	for {
		wait()
		sink++
	}
}
