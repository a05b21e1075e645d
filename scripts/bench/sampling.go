//go:build linux && (amd64 || arm64)

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/task"
	"stacksnap/task/live"
)

// worker is a running testdata/work.
type worker struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func startWorker(program, threads string) (*worker, error) {
	cmd := exec.Command(program, threads)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w := &worker{cmd, in, bufio.NewReader(out)}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, err = w.out.ReadString('\n')
	return w, err
}

func (w *worker) end() { _ = w.cmd.Process.Kill(); _ = w.cmd.Wait() }

// progress is what the target has done, and the CPU time that it took.
type progress struct{ units, cpu float64 }

func (w *worker) progress() (p progress) {
	fmt.Fprintln(w.in)
	_, _ = fmt.Fscan(w.out, &p.units, &p.cpu)
	return p
}

// speed is the work done in each second of the target's CPU time while f runs:
// what other processes take of the processors does not count.
func (w *worker) speed(f func()) float64 {
	before := w.progress()
	f()
	after := w.progress()
	return (after.units - before.units) / (after.cpu - before.cpu) * 1e9
}

// measured is what one way to sample did in its time.
type measured struct {
	snapshots int
	stopped   time.Duration
	longest   time.Duration
	cpu       time.Duration
	took      time.Duration
}

// sampling compares ways to sample targets of different size.
func sampling(length time.Duration, threads []string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "work")
	if err := command("gcc", "-O1", "-fno-optimize-sibling-calls", "-pthread", "-o", program, "scripts/bench/testdata/work.c").Run(); err != nil {
		return err
	}
	fmt.Printf("%-7s %-6s %-26s %9s %14s %10s %9s %12s %8s %9s\n", "threads", "Hz", "sampler",
		"taken/s", "stopped/sample", "longest", "of time", "CPU/sample", "CPU", "target")
	for _, n := range threads {
		w, err := startWorker(program, n)
		if err != nil {
			return err
		}
		w.compare(length, n)
		w.end()
	}
	return nil
}

func (w *worker) compare(length time.Duration, threads string) {
	alone := w.speed(func() { time.Sleep(length) })
	for _, hz := range []int{100, 1000, 0} {
		for _, s := range []struct {
			name string
			run  func(hz int, length time.Duration) (measured, error)
		}{
			{"stacksnap", w.stacksnap(task.SuspendThread)},
			{"stacksnap --suspend task", w.stacksnap(task.SuspendTask)},
			{"stacksnap --no-stop", w.stacksnap(task.SuspendNone)},
			{"bare system calls", w.bare},
			{"perf record -g", w.perf},
			{"eu-stack in a loop", w.euStack},
		} {
			var m measured
			var err error
			speed := w.speed(func() { m, err = s.run(hz, length) })
			if err != nil {
				if err != errNotApplicable {
					fmt.Printf("%-7s %-6d %-26s %v\n", threads, hz, s.name, err)
				}
				continue
			}
			m.print(threads, hz, s.name, speed/alone)
		}
	}
}

func (m *measured) print(threads string, hz int, name string, speed float64) {
	rate := strconv.Itoa(hz)
	if hz == 0 {
		rate = "max"
	}
	n := time.Duration(max(1, m.snapshots))
	stopped, longest, share := "-", "-", "-"
	if m.stopped > 0 {
		stopped = (m.stopped / n).Round(100 * time.Nanosecond).String()
		longest = m.longest.Round(time.Microsecond).String()
		share = fmt.Sprintf("%.2f %%", 100*m.stopped.Seconds()/m.took.Seconds())
	}
	fmt.Printf("%-7s %-6s %-26s %9.0f %14s %10s %9s %12v %6.1f %% %7.1f %%\n", threads, rate, name,
		float64(m.snapshots)/m.took.Seconds(), stopped, longest, share,
		(m.cpu / n).Round(100*time.Nanosecond), 100*m.cpu.Seconds()/m.took.Seconds(), 100*(speed-1))
}

var errNotApplicable = fmt.Errorf("not at this rate")

func (w *worker) stacksnap(how task.Suspension) func(int, time.Duration) (measured, error) {
	return func(hz int, length time.Duration) (measured, error) {
		p, err := live.Open(w.cmd.Process.Pid)
		if err != nil {
			return measured{}, err
		}
		defer p.Close()
		o := capture.Options{Duration: length, Suspend: how}
		if hz > 0 {
			o.Interval = time.Second / time.Duration(hz)
		}
		began := time.Now()
		prof, err := capture.Record(context.Background(), p, o)
		if err != nil {
			return measured{}, err
		}
		return ofProfile(prof, time.Since(began)), nil
	}
}

func ofProfile(p *profile.Profile, took time.Duration) measured {
	return measured{p.Snapshots, p.Stopped, p.LongestStop, p.OwnCPU, took}
}

// bare makes the system calls of a stop of each thread in turn, and nothing
// else, for every thread whether it has run or not.
func (w *worker) bare(hz int, length time.Duration) (measured, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid := w.cmd.Process.Pid
	tids, err := threadIDs(pid)
	if err != nil {
		return measured{}, err
	}
	var m measured
	began, cpu, clock := time.Now(), ownCPU(), task.SystemClock()
	start := clock.Now()
	for stack := make([]byte, stackBytes); time.Since(began) < length; m.snapshots++ {
		for _, tid := range tids {
			d, err := bareThread(tid, stack)
			if err != nil {
				return m, err
			}
			m.stopped, m.longest = m.stopped+d, max(m.longest, d)
		}
		if hz > 0 {
			interval := time.Second / time.Duration(hz)
			clock.SleepUntil(start + (clock.Now()-start)/interval*interval + interval)
		}
	}
	m.took, m.cpu = time.Since(began), ownCPU()-cpu
	return m, nil
}

func bareThread(tid int, stack []byte) (time.Duration, error) {
	if err := unix.PtraceSeize(tid); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := unix.PtraceInterrupt(tid); err != nil {
		return 0, err
	}
	var ws unix.WaitStatus
	if _, err := unix.Wait4(tid, &ws, unix.WALL, nil); err != nil {
		return 0, err
	}
	readThread(tid, stack)
	err := unix.PtraceDetach(tid)
	return time.Since(began), err
}

func ownCPU() time.Duration { return usage(unix.RUSAGE_SELF) }

func usage(who int) time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perf samples running threads only, in the kernel.
func (w *worker) perf(hz int, length time.Duration) (measured, error) {
	if hz == 0 {
		return measured{}, errNotApplicable
	}
	cpu, began := usage(unix.RUSAGE_CHILDREN), time.Now()
	file := filepath.Join(os.TempDir(), "bench.perf")
	defer os.Remove(file)
	err := exec.Command("perf", "record", "-q", "-g", "-F", strconv.Itoa(hz), "-o", file, "-p", strconv.Itoa(w.cmd.Process.Pid),
		"--", "sleep", strconv.FormatFloat(length.Seconds(), 'f', 2, 64)).Run()
	return measured{
		snapshots: hz * int(length/time.Millisecond) / 1000, took: time.Since(began), cpu: usage(unix.RUSAGE_CHILDREN) - cpu,
	}, err
}

func (w *worker) euStack(hz int, length time.Duration) (m measured, err error) {
	if hz != 0 {
		return m, errNotApplicable
	}
	cpu, began := usage(unix.RUSAGE_CHILDREN), time.Now()
	for ; time.Since(began) < length; m.snapshots++ {
		if err := exec.Command("eu-stack", "-n", "0", "-p", strconv.Itoa(w.cmd.Process.Pid)).Run(); err != nil {
			return m, err
		}
	}
	m.took, m.cpu = time.Since(began), usage(unix.RUSAGE_CHILDREN)-cpu
	return m, nil
}
