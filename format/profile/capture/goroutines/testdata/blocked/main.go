// Command blocked starts goroutines that block in known ways, so many of each as its first
// argument says, and writes Go's own traceback of them to the file of its second; without one to
// its output, followed by a line with its pid that says "ready".
package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unsafe"
)

var (
	never  = make(chan int)
	full   = make(chan int, 1)
	mutex  sync.Mutex
	shared sync.RWMutex
	group  sync.WaitGroup
	cond   = sync.NewCond(new(sync.Mutex))
)

//go:noinline
func receive() { <-never }

//go:noinline
func send() { full <- 2 }

//go:noinline
func choose() {
	select {
	case <-never:
	case full <- 3:
	}
}

//go:noinline
func lock() { mutex.Lock() }

//go:noinline
func read() { shared.RLock() }

//go:noinline
func write() { shared.Lock() }

//go:noinline
func wait() {
	cond.L.Lock()
	cond.Wait()
}

//go:noinline
func await() { group.Wait() }

//go:noinline
func sleep() { time.Sleep(time.Hour) }

func ever() { select {} }

func tick() { <-time.After(time.Hour) }

// inlined calls the function that blocks from code that is inlined.
//
//go:noinline
func inlined() { through(receive) }

func through(f func()) { f() }

func deep(n int) {
	if n == 0 {
		receive()
	}
	deep(n - 1)
}

//go:noinline
func recursive() { deep(50) }

func accept() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	_, _ = l.Accept()
}

// start makes one goroutine of each way.
//
//go:noinline
func start() {
	for _, f := range []func(){receive, send, choose, lock, read, write, wait, await, sleep, ever, tick, inlined, recursive} {
		go f()
	}
	go func() { receive() }()
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	full <- 1
	mutex.Lock()
	shared.Lock()
	group.Add(1)
	go accept()
	go func() {
		r, w, _ := os.Pipe()
		defer runtime.KeepAlive(w) // its finalizer would end the read
		_, _ = r.Read(make([]byte, 1))
	}()
	for i := 0; i < n; i++ {
		start()
	}
	if text := append(objects(), traceback()...); len(os.Args) > 2 {
		save(text, os.Args[2])
	} else {
		os.Stdout.Write(append(text, fmt.Sprintf("\n%d ready\n", os.Getpid())...))
	}
	receive()
}

// objects returns a line with the addresses of what goroutines wait for: the channels, and the semaphores.
func objects() []byte {
	return []byte(fmt.Sprintf("objects receive %p send %p lock %p read %p write %p await %p\n\n",
		never, full, unsafe.Add(unsafe.Pointer(&mutex), 4), unsafe.Add(unsafe.Pointer(&shared), 12),
		unsafe.Add(unsafe.Pointer(&shared), 4), unsafe.Add(unsafe.Pointer(&group), 8)))
}

func save(text []byte, file string) {
	if err := os.WriteFile(file+".part", text, 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		panic(err)
	}
}

// traceback returns the traceback of all goroutines when all others have blocked: accept and read are
// system calls at first, before they wait for IO.
func traceback() []byte {
	b := make([]byte, 64<<20)
	for {
		runtime.GC() // whose workers wait then
		text := b[:runtime.Stack(b, true)]
		others := text[bytes.Index(text, []byte("\n\n")):]
		if !contains(others, "[running", "[runnable", "[syscall") {
			return text
		}
		runtime.Gosched()
	}
}

func contains(text []byte, states ...string) bool {
	for _, s := range states {
		if bytes.Contains(text, []byte(s)) {
			return true
		}
	}
	return false
}
