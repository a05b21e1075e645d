//go:build darwinlive

package darwinlive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A kqueue of the Darwin user space keeps a user event in an eventfd that blocks
// (darling-libkqueue, src/linux/user.c: eventfd(0, 0), and eventfd_lower reads it).
// Two threads that ask for events at once both see one; the second to read it waits
// for ever. Go wakes its poller by such an event, also while the world is stopped, and
// the whole program stands still. What that code means by EAGAIN ("not an error") is
// what it should have got: userEvents gives it that.

// userEvents ends such waits until it is told to stop.
type userEvents struct {
	stop, stopped chan struct{}
	ended         atomic.Int32 // waits
}

// between is how far apart two looks are in which a thread must be seen in the same
// read: one that is not stuck has something to read and is gone at once.
const between = 100 * time.Millisecond

func watchUserEvents() *userEvents {
	w := &userEvents{stop: make(chan struct{}), stopped: make(chan struct{})}
	go w.run()
	return w
}

func (w *userEvents) end() int {
	close(w.stop)
	<-w.stopped
	return int(w.ended.Load())
}

func (w *userEvents) run() {
	defer close(w.stopped)
	tick := time.NewTicker(between)
	defer tick.Stop()
	seen := map[eventRead]bool{}
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		now := map[eventRead]bool{}
		for _, read := range eventReads() {
			if !seen[read] {
				now[read] = true
			} else if read.giveUp() == nil {
				w.ended.Add(1)
			}
		}
		seen = now
	}
}

// An eventRead is a thread of the space that reads an eventfd.
type eventRead struct {
	pid, fd int
	call    string // /proc/PID/task/TID/syscall: arguments, sp and pc
	thread  string
}

func eventReads() (all []eventRead) {
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, file := range names {
		if name, _ := os.ReadFile(file); string(name) == "mldr\n" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			all = append(all, eventReadsOf(pid)...)
		}
	}
	return all
}

func eventReadsOf(pid int) (all []eventRead) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, thread := range threads {
		call, _ := os.ReadFile(filepath.Join(thread, "syscall"))
		fields := strings.Fields(string(call))
		if len(fields) < 2 || fields[0] != strconv.Itoa(unix.SYS_READ) {
			continue
		}
		fd, err := strconv.ParseInt(fields[1], 0, 32)
		stack, _ := os.ReadFile(filepath.Join(thread, "stack"))
		if err == nil && bytes.Contains(stack, []byte("eventfd_read")) {
			all = append(all, eventRead{pid, int(fd), string(call), thread})
		}
	}
	return all
}

// giveUp ends the read, and has the next ones not wait.
func (r eventRead) giveUp() error {
	process, err := unix.PidfdOpen(r.pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(process)
	fd, err := unix.PidfdGetfd(process, r.fd, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	if _, err := unix.Write(fd, binary.NativeEndian.AppendUint64(nil, 1)); err != nil {
		return fmt.Errorf("write of an eventfd: %w", err)
	}
	return nil
}
