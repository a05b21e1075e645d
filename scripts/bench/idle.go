//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// spent is what a process has spent in all its threads.
type spent struct {
	cpu      time.Duration
	runs     int // times that a thread was put on a processor
	switches int // of these, after it had gone to sleep by itself
	looks    int // files read
}

func (s spent) since(b spent) spent {
	return spent{s.cpu - b.cpu, s.runs - b.runs, s.switches - b.switches, s.looks - b.looks}
}

// spentBy reads what the kernel has counted of a process (proc(5)).
func spentBy(pid int) (s spent, err error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		return s, err
	}
	for _, task := range tasks {
		var cpu, queued, runs int
		b, err := os.ReadFile(task + "/schedstat")
		if err != nil {
			return s, err
		}
		if _, err := fmt.Sscan(string(b), &cpu, &queued, &runs); err != nil {
			return s, fmt.Errorf("%s: %w", task, err)
		}
		s.cpu += time.Duration(cpu)
		s.runs += runs
		s.switches += field(task+"/status", "voluntary_ctxt_switches:")
	}
	s.looks = field(fmt.Sprintf("/proc/%d/io", pid), "syscr:")
	return s, nil
}

// field returns the number behind a key of a file, 0 when there is none.
func field(file, key string) int {
	b, _ := os.ReadFile(file)
	for line := range bytes.Lines(b) {
		if v, ok := bytes.CutPrefix(line, []byte(key)); ok {
			n, _ := strconv.Atoi(string(bytes.TrimSpace(v)))
			return n
		}
	}
	return 0
}

// idle measures what a hang watch of a program that waits costs, on the machine
// as it is and with its processors taken by others, and as a floor a C program
// that sleeps as often and reads the one file.
func idle(length time.Duration) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stacksnap, look := filepath.Join(dir, "stacksnap"), filepath.Join(dir, "look")
	if err := build(stacksnap); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-o", look, "scripts/bench/testdata/look.c").Run(); err != nil {
		return err
	}
	sleeper := exec.Command("sleep", "1000000")
	if err := sleeper.Start(); err != nil {
		return err
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	pid := strconv.Itoa(sleeper.Process.Pid)
	const threshold = 250 // ms, with six looks in five of it
	fmt.Printf("%-24s %-10s %8s %12s %14s %10s\n", "watcher", "machine", "looks/s", "CPU/look", "switches/look", "CPU")
	for _, hogs := range []int{0, 2 * runtime.NumCPU()} {
		end := occupy(hogs)
		for _, args := range [][]string{
			{look, pid, strconv.Itoa(threshold * 5 / 6)},
			{stacksnap, "-p", pid, "--hang", fmt.Sprintf("%dms", threshold)},
		} {
			if err = costOf(length, hogs, args); err != nil {
				break
			}
		}
		end()
		if err != nil {
			return err
		}
	}
	return nil
}

// occupy starts programs that compute, until end.
func occupy(n int) (end func()) {
	var all []*exec.Cmd
	for range n {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if cmd.Start() == nil {
			all = append(all, cmd)
		}
	}
	return func() {
		for _, cmd := range all {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

// costOf runs a watcher, and counts once it has settled.
func costOf(length time.Duration, hogs int, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Signal(unix.SIGTERM); _ = cmd.Wait() }()
	time.Sleep(2 * time.Second)
	before, err := spentBy(cmd.Process.Pid)
	if err != nil {
		return err
	}
	began := time.Now()
	time.Sleep(length)
	after, err := spentBy(cmd.Process.Pid)
	if err != nil {
		return err
	}
	took, s := time.Since(began), after.since(before)
	machine := "as it is"
	if hogs > 0 {
		machine = strconv.Itoa(hogs) + " hogs"
	}
	looks := max(1, s.looks)
	fmt.Printf("%-24s %-10s %8.1f %12v %14.2f %8.4f %%\n", filepath.Base(args[0]), machine, float64(s.looks)/took.Seconds(),
		(s.cpu / time.Duration(looks)).Round(100*time.Nanosecond), float64(s.switches)/float64(looks), 100*s.cpu.Seconds()/took.Seconds())
	return nil
}
