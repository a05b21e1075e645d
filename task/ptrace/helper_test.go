//go:build linux

package ptrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// runHelper is what the test binary does in a process of its own.
func runHelper(mode string, args []string) {
	switch mode {
	case "spin":
		fmt.Println("ready")
		for {
			helperWork++
		}
	case "readzero": // again and again
		zero, err := os.Open("/dev/zero")
		exitOn(err)
		fmt.Println("ready")
		for b := make([]byte, 64<<10); ; {
			_, err := unix.Read(int(zero.Fd()), b)
			exitOn(err)
		}
	case "snapshots": // of args[0], until killed
		p, err := Open(atoi(args[0]))
		exitOn(err)
		fmt.Println("ready")
		var s task.Snapshot
		for {
			exitOn(task.Take(p, &s))
		}
	case "together": // likewise, by samplings in which all threads stand at once
		p, err := Open(atoi(args[0]))
		exitOn(err)
		fmt.Println("ready")
		for _, err := range task.Sample(context.Background(), p, task.Options{Suspend: task.SuspendTogether}) {
			exitOn(err)
		}
	case "delivering": // stops the threads of args[0] together, and kills itself: see dieDelivering
		p, err := Open(atoi(args[0]))
		exitOn(err)
		exitOn(dieDelivering(p, atoi(args[1])))
	case "hold": // stops args[0] until killed
		p, err := Open(atoi(args[0]))
		exitOn(err)
		_, err = p.Threads()
		exitOn(err)
		_, err = p.Suspend(task.StopOptions{})
		exitOn(err)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "trace": // the threads args[1:] of args[0], as a debugger does
		besideFirstThread(func() {
			for _, tid := range args[1:] {
				exitOn(unix.PtraceSeize(atoi(tid)))
			}
			fmt.Println("ready")
			time.Sleep(time.Hour)
		})
	case "open": // says how it goes
		_, err := Open(atoi(args[0]))
		var permission *task.PermissionError
		fmt.Println(errors.As(err, &permission), err)
	}
}

// dieDelivering stops threads together, sends each a signal when all are attached and none
// is told to stop, and kills us at the worst moment: while one stands that stopped to
// deliver its signal, or so many threads later.
func dieDelivering(p *Process, later int) error {
	ids, err := p.Threads()
	if err != nil {
		return err
	}
	const nobody = 1 << 30 // no thread has this id, so it is told at once that it cannot be had
	all := append(slices.Clone(ids), nobody)
	met := false
	stopped := func(i int) {
		if met = met || p.threads.find(int(all[i])).signal != 0; !met {
			return
		}
		if later == 0 {
			_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
		}
		later--
	}
	attached := func(i int, _ time.Duration, _ error) {
		if all[i] == nobody {
			err = signalEach(p.PID, ids)
		}
	}
	ended := p.CaptureThreads(task.SuspendTogether, task.StopOptions{}, all, stopped, attached)
	if err := errors.Join(ended, err); err != nil {
		return err
	}
	if !met {
		return errors.New("no thread stopped to deliver a signal")
	}
	return unix.Kill(unix.Getpid(), unix.SIGKILL) // it was the last to be captured
}

// signalEach queues a signal to each thread, and waits until one stops to deliver it.
func signalEach(pid int, ids []task.ThreadID) error {
	for _, id := range ids {
		if !queueTo(pid, int(id)) {
			return errors.New("no signal could be queued")
		}
	}
	for end := time.Now().Add(10 * time.Second); !strings.Contains(states(pid), "t"); time.Sleep(50 * time.Microsecond) {
		if time.Now().After(end) {
			return errors.New("no thread has stopped to deliver a signal")
		}
	}
	return nil
}

var helperWork int

// besideFirstThread calls f on a thread that is not the process's first, as a
// debugger written in Go may trace by any of its threads.
func besideFirstThread(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			besideFirstThread(f)
			return
		}
		f()
	}()
	<-done
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	exitOn(err)
	return n
}

func exitOn(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// helper makes a command that runs the test binary in a mode of runHelper.
func helper(t testing.TB, mode string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+mode)
	return cmd
}

// startHelper starts one and waits until it is ready.
func startHelper(t testing.TB, mode string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := helper(t, mode, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	b := make([]byte, 200)
	n, err := out.Read(b)
	if string(b[:n]) != "ready\n" {
		skipRefused(t, errors.New(string(b[:n])))
		t.Fatalf("helper said %q, %v", b[:n], err)
	}
	return cmd
}
