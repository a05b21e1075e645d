//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// progress is what the target has done, the CPU time that it took, and since the
// progress before how long a unit took: of two hundred the second longest, and of all
// the longest.
type progress struct {
	units, cpu     float64
	usual, longest time.Duration
}

func (w *worker) progress() (p progress) {
	fmt.Fprintln(w.in)
	_, _ = fmt.Fscan(w.out, &p.units, &p.cpu, &p.usual, &p.longest)
	return p
}

// pace is how a target did its work.
type pace struct {
	speed          float64 // units in each second of its CPU time: what others take of the processors does not count
	usual, longest time.Duration
}

// pace is the target's while f runs.
func (w *worker) pace(f func()) pace {
	before := w.progress()
	f()
	after := w.progress()
	return pace{(after.units - before.units) / (after.cpu - before.cpu) * 1e9, after.usual, after.longest}
}

// measured is what one way to sample did in its time.
type measured struct {
	snapshots int
	stopped   time.Duration
	longest   time.Duration
	cpu       time.Duration
	took      time.Duration
	size      int64         // of the file that was written
	speed     float64       // of the target meanwhile, summed over rounds
	usual     time.Duration // of its units, likewise
	gap       time.Duration // the longest of them
	rounds    int
}

func (m *measured) add(o measured, p pace) {
	m.snapshots += o.snapshots
	m.stopped += o.stopped
	m.longest = max(m.longest, o.longest)
	m.cpu += o.cpu
	m.took += o.took
	m.size += o.size
	m.speed += p.speed
	m.usual += p.usual
	m.gap = max(m.gap, p.longest)
	m.rounds++
}

// perSnapshot is the stopped time of one.
func (m *measured) perSnapshot() time.Duration {
	return m.stopped / time.Duration(max(1, m.snapshots))
}

// sampler is a way to sample. Its run returns errNotApplicable where it has
// nothing to do with a rate; 0 Hz is as fast as it goes.
type sampler struct {
	name  string
	run   func(hz int, length time.Duration) (measured, error)
	floor bool // is no tool, but what every tool needs
	total measured
	err   error
}

// plan says what is compared.
type plan struct {
	length  time.Duration // of each sampling
	rounds  int           // of all samplers in turn, so that what else the machine does meets all alike
	threads []string
	rates   []string
	only    string // a part of the names of the samplers wanted
}

// sampling compares ways to sample targets of different size.
func sampling(o plan) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	work, bare := filepath.Join(dir, "work"), filepath.Join(dir, "floor")
	if err := command("gcc", "-O1", "-fno-optimize-sibling-calls", "-pthread", "-o", work, "scripts/bench/testdata/work.c").Run(); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-o", bare, "scripts/bench/testdata/floor.c").Run(); err != nil {
		return err
	}
	fmt.Printf("%-7s %-6s %-30s %9s %14s %7s %10s %9s %12s %8s %9s %9s %9s %9s\n", "threads", "Hz", "sampler",
		"taken/s", "stopped/sample", "ratio", "longest", "of time", "CPU/sample", "CPU", "target", "p99.5", "max", "MB/s")
	for _, n := range o.threads {
		w, err := startWorker(work, n)
		if err != nil {
			return err
		}
		err = w.compare(o, n, bare)
		w.end()
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) samplers(bare string) []*sampler {
	return []*sampler{
		{name: "bare calls, each in turn", run: w.bare(bare, "each"), floor: true},
		{name: "bare calls, all at once", run: w.bare(bare, "task"), floor: true},
		{name: "stacksnap", run: w.stacksnap(task.SuspendDefault)},
		{name: "stacksnap --suspend thread", run: w.stacksnap(task.SuspendThread)},
		{name: "stacksnap --suspend task", run: w.stacksnap(task.SuspendTask)},
		{name: "stacksnap --no-stop", run: w.stacksnap(task.SuspendNone)},
		{name: "stacksnap --save", run: w.saved(task.SuspendDefault)},
		{name: "stacksnap --no-stop --save", run: w.saved(task.SuspendNone)},
		{name: "perf record -g", run: w.perf("-g")},
		{name: "perf record --call-graph dwarf", run: w.perf("--call-graph", "dwarf")},
		{name: "eu-stack in a loop", run: w.loop("eu-stack", "-n", "0", "-p")},
		{name: "gdb in a loop", run: w.loop("gdb", "-nx", "-batch", "-ex", "thread apply all bt", "-p")},
	}
}

func (w *worker) compare(o plan, threads, bare string) error {
	for _, rate := range o.rates {
		hz, err := strconv.Atoi(rate)
		if err != nil && rate != "max" {
			return fmt.Errorf("a rate is a number or max, not %q", rate)
		}
		all := w.samplers(bare)
		var alone measured
		for range o.rounds {
			alone.add(measured{took: o.length}, w.pace(func() { time.Sleep(o.length) }))
			for _, s := range all {
				if strings.Contains(s.name, o.only) || s.floor {
					w.measure(s, hz, o.length)
				}
			}
		}
		alone.print(threads, rate, "nothing", 0, alone.speed/float64(o.rounds))
		printAll(threads, rate, all, alone.speed/float64(o.rounds))
	}
	return nil
}

// measure lets one sampler sample once.
func (w *worker) measure(s *sampler, hz int, length time.Duration) {
	if s.err != nil {
		return
	}
	var m measured
	pace := w.pace(func() { m, s.err = s.run(hz, length) })
	if s.err == nil {
		s.total.add(m, pace)
	}
}

// leastStop is the stopped time of the better of the bare ways, of those that
// keep up: the other may take twice as many snapshots.
func leastStop(all []*sampler) (least time.Duration) {
	most := 0
	for _, s := range all {
		if s.floor {
			most = max(most, s.total.snapshots)
		}
	}
	for _, s := range all {
		if d := s.total.perSnapshot(); s.floor && 2*s.total.snapshots >= most && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}

// printAll prints a line for each sampler.
func printAll(threads, rate string, all []*sampler, alone float64) {
	least := leastStop(all)
	for _, s := range all {
		switch {
		case s.err != nil && !errors.Is(s.err, errNotApplicable):
			fmt.Printf("%-7s %-6s %-30s %v\n", threads, rate, s.name, s.err)
		case s.err == nil && s.total.rounds > 0:
			s.total.print(threads, rate, s.name, least, alone)
		}
	}
}

func (m *measured) print(threads, rate, name string, least time.Duration, alone float64) {
	n := time.Duration(max(1, m.snapshots))
	stopped, ratio, longest, share := "-", "-", "-", "-"
	if m.stopped > 0 {
		stopped = m.perSnapshot().Round(100 * time.Nanosecond).String()
		longest = m.longest.Round(time.Microsecond).String()
		share = fmt.Sprintf("%.2f %%", 100*m.stopped.Seconds()/m.took.Seconds())
	}
	if m.stopped > 0 && least > 0 {
		ratio = fmt.Sprintf("%.2f", float64(m.perSnapshot())/float64(least))
	}
	speed := m.speed / float64(m.rounds) / alone
	fmt.Printf("%-7s %-6s %-30s %9.0f %14s %7s %10s %9s %12v %6.1f %% %7.1f %% %9v %9v %9.2f\n", threads, rate, name,
		float64(m.snapshots)/m.took.Seconds(), stopped, ratio, longest, share,
		(m.cpu / n).Round(100*time.Nanosecond), 100*m.cpu.Seconds()/m.took.Seconds(), 100*(speed-1),
		m.usual/time.Duration(m.rounds), m.gap.Round(time.Microsecond), float64(m.size)/1e6/m.took.Seconds())
}

var errNotApplicable = errors.New("not at this rate, or not installed")

func (w *worker) stacksnap(how task.Suspension) func(int, time.Duration) (measured, error) {
	return func(hz int, length time.Duration) (measured, error) { return w.record(how, hz, length, "") }
}

// saved is stacksnap with a recording of it all.
func (w *worker) saved(how task.Suspension) func(int, time.Duration) (measured, error) {
	return func(hz int, length time.Duration) (measured, error) {
		file := filepath.Join(os.TempDir(), "bench.snap")
		defer os.Remove(file)
		m, err := w.record(how, hz, length, file)
		m.size = sizeOf(file)
		return m, err
	}
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// record samples the target, and saves that unless file is empty.
func (w *worker) record(how task.Suspension, hz int, length time.Duration, file string) (measured, error) {
	p, err := live.Open(w.cmd.Process.Pid)
	if err != nil {
		return measured{}, err
	}
	defer p.Close()
	o := capture.Options{Duration: length, Suspend: how, Alone: true, Save: file}
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

func ofProfile(p *profile.Profile, took time.Duration) measured {
	return measured{snapshots: p.Snapshots, stopped: p.Stopped, longest: p.LongestStop, cpu: p.OwnCPU, took: took}
}

// bare runs testdata/floor, which makes the least system calls.
func (w *worker) bare(program, scheme string) func(int, time.Duration) (measured, error) {
	return func(hz int, length time.Duration) (m measured, err error) {
		out, err := exec.Command(program, strconv.Itoa(w.cmd.Process.Pid), scheme, strconv.Itoa(hz), seconds(length)).Output()
		if err != nil {
			return m, err
		}
		_, err = fmt.Sscan(string(out), &m.snapshots, &m.stopped, &m.longest, &m.cpu, &m.took)
		return m, err
	}
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) }

func usage(who int) time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perf samples running threads only, in the kernel.
func (w *worker) perf(stacks ...string) func(int, time.Duration) (measured, error) {
	return func(hz int, length time.Duration) (measured, error) {
		if _, err := exec.LookPath("perf"); hz == 0 || err != nil {
			return measured{}, errNotApplicable
		}
		cpu, began := usage(unix.RUSAGE_CHILDREN), time.Now()
		file := filepath.Join(os.TempDir(), "bench.perf")
		defer os.Remove(file)
		args := append([]string{"record", "-q", "-F", strconv.Itoa(hz), "-o", file, "-p", strconv.Itoa(w.cmd.Process.Pid)}, stacks...)
		err := exec.Command("perf", append(args, "--", "sleep", seconds(length))...).Run()
		return measured{
			snapshots: hz * int(length/time.Millisecond) / 1000, took: time.Since(began), cpu: usage(unix.RUSAGE_CHILDREN) - cpu, size: sizeOf(file),
		}, err
	}
}

// loop runs a tool that prints all stacks once, again and again.
func (w *worker) loop(tool string, args ...string) func(int, time.Duration) (measured, error) {
	return func(hz int, length time.Duration) (m measured, err error) {
		if _, err := exec.LookPath(tool); hz != 0 || err != nil {
			return m, errNotApplicable
		}
		cpu, began := usage(unix.RUSAGE_CHILDREN), time.Now()
		for ; m.snapshots == 0 || time.Since(began) < length; m.snapshots++ {
			if err := exec.Command(tool, append(args[:len(args):len(args)], strconv.Itoa(w.cmd.Process.Pid))...).Run(); err != nil {
				return m, fmt.Errorf("%s: %w", tool, err)
			}
		}
		m.took, m.cpu = time.Since(began), usage(unix.RUSAGE_CHILDREN)-cpu
		return m, nil
	}
}
