//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// watcher sees from outside how long a process's main thread stands, by asking
// the kernel for its state without pause. All tools are measured by it alike.
type watcher struct {
	stop, done chan struct{}
	stood      time.Duration
}

func watch(pid int) *watcher {
	w := &watcher{stop: make(chan struct{}), done: make(chan struct{})}
	started := make(chan struct{})
	go w.run(pid, started)
	<-started
	return w
}

// end returns how long the thread stood since watch.
func (w *watcher) end() time.Duration {
	close(w.stop)
	<-w.done
	return w.stood
}

func (w *watcher) run(pid int, started chan<- struct{}) {
	defer close(w.done)
	f, err := os.Open(fmt.Sprintf("/proc/%d/task/%d/stat", pid, pid))
	close(started)
	if err != nil {
		return
	}
	defer f.Close()
	last := time.Now()
	for {
		select {
		case <-w.stop:
			return
		default:
		}
		traced := isTraced(f)
		now := time.Now()
		if traced {
			w.stood += now.Sub(last)
		}
		last = now
	}
}

// isTraced reports whether the stat file's state is t: tracing stop.
func isTraced(f *os.File) bool {
	var b [256]byte
	n, _ := f.ReadAt(b[:], 0)
	i := bytes.LastIndexByte(b[:n], ')')
	return i >= 0 && i+2 < n && b[i+2] == 't'
}
