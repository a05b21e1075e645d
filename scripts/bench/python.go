//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// pythonPlan is what is measured of Python programs.
type pythonPlan struct {
	python string // that runs the programs, and has profiling.sampling from 3.15 on
	runs   int
	length time.Duration // of a sampling
	peer   bool          // python has it
	dir    string
}

// pythonCase is a program and how its stacks are taken by stacksnap and by profiling.sampling.
type pythonCase struct {
	name     string
	program  []string // arguments of server.py
	own      []string
	peer     []string // nil: it has nothing like it
	sampling bool
}

func (o *pythonPlan) cases() []pythonCase {
	length := strconv.FormatFloat(o.length.Seconds(), 'f', -1, 64)
	peer := []string{"attach", "-r", "1khz", "-d", length, "--collapsed", "-o", "/dev/null"}
	all := append(slices.Clone(peer), "-a")
	own := []string{"-d", o.length.String(), "-r", "1000"}
	unstopped := append(slices.Clone(own), "--no-stop")
	return []pythonCase{
		{"one-shot, 50 threads of 30 frames", []string{"threads", "50", "30"}, nil, []string{"dump", "-a"}, false},
		{"the same without Python's frames", []string{"threads", "50", "30"}, []string{"--no-runtimes"}, nil, false},
		{"one-shot, 10,000 asyncio tasks", []string{"tasks", "10000"}, nil, []string{"dump", "--async-aware"}, false},
		{"1 kHz, one busy thread", []string{"busy"}, own, peer, true},
		{"1 kHz, one busy thread, --no-stop", []string{"busy"}, unstopped, peer, true},
		{"1 kHz, 50 idle threads", []string{"threads", "50", "30"}, own, all, true},
		{"1 kHz, 50 idle threads, --no-stop", []string{"threads", "50", "30"}, unstopped, all, true},
	}
}

// comparePython measures stacksnap beside profiling.sampling, in turn, on the same Python programs.
func comparePython(o pythonPlan) (err error) {
	if o.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	if err := build(filepath.Join(o.dir, "stacksnap")); err != nil {
		return err
	}
	if o.peer = exec.Command(o.python, "-c", "import profiling.sampling").Run() == nil; !o.peer {
		fmt.Printf("%s has no profiling.sampling, which is in Python 3.15 and later: stacksnap alone is measured\n", o.python)
	}
	for _, c := range o.cases() {
		if err := o.measure(&c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// measure measures one case and prints a line for each tool.
func (o *pythonPlan) measure(c *pythonCase) error {
	pid, end, err := o.start(c.program)
	if err != nil {
		return err
	}
	defer end()
	var own, peer runsOf
	for range o.runs { // in turn, so that what else the machine does meets both
		run := o.snapshot
		if c.sampling {
			run = o.snap
		}
		if err := own.add(run(pid, c.own)); err != nil {
			return fmt.Errorf("stacksnap: %w", err)
		}
		if !o.peer || c.peer == nil {
			continue
		}
		cmd := exec.Command(o.python, slices.Concat([]string{"-m", "profiling.sampling"}, c.peer, []string{pid})...)
		cmd.Stdout = io.Discard
		if err := peer.add(costOfRun(cmd)); err != nil {
			return fmt.Errorf("%v: %w", cmd.Args, err)
		}
	}
	fmt.Printf("%s (%d runs)\n", c.name, o.runs)
	length := time.Duration(0)
	if c.sampling {
		length = o.length
	}
	own.print("stacksnap", length)
	if len(peer) > 0 {
		peer.print("profiling.sampling", length)
	}
	return nil
}

// start starts a Python program, and waits until it is ready.
func (o *pythonPlan) start(args []string) (pid string, end func(), err error) {
	source, err := os.ReadFile("scripts/bench/testdata/server.py")
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(o.python, append([]string{"-c", string(source)}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		end()
		return "", nil, err
	}
	return strconv.Itoa(cmd.Process.Pid), end, nil
}

// runCost is what one run of a tool took.
type runCost struct {
	wall, cpu     time.Duration
	memory        int64         // bytes, at most
	stop, longest time.Duration // of the target: the sum, and the longest one
	snapshots     int
}

// costOfRun runs a tool.
func costOfRun(cmd *exec.Cmd) (c runCost, err error) {
	begin := time.Now()
	cmd.Stderr = io.Discard
	if err := cmd.Run(); err != nil {
		return c, err
	}
	c.wall, c.cpu = time.Since(begin), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.memory = r.Maxrss << 10
	}
	return c, nil
}

// snapshot runs stacksnap for one snapshot, with a report for people, as that of the peer is, and once
// more for the time of a stop.
func (o *pythonPlan) snapshot(pid string, args []string) (c runCost, err error) {
	timed, err := o.snap(pid, args)
	if err != nil {
		return c, err
	}
	cmd := exec.Command(filepath.Join(o.dir, "stacksnap"), slices.Concat([]string{"-p", pid}, args)...)
	cmd.Stdout = io.Discard
	c, err = costOfRun(cmd)
	c.snapshots, c.stop, c.longest = timed.snapshots, timed.stop, timed.longest
	return c, err
}

// snap runs stacksnap, whose report has the times of its stops.
func (o *pythonPlan) snap(pid string, args []string) (c runCost, err error) {
	file := filepath.Join(o.dir, "report.json")
	cmd := exec.Command(filepath.Join(o.dir, "stacksnap"), slices.Concat([]string{"-p", pid, "-f", "json", "-o", file}, args)...)
	if c, err = costOfRun(cmd); err != nil {
		return c, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	var report struct {
		Snapshots int           `json:"snapshots"`
		Stopped   time.Duration `json:"stopped_ns"`
		Longest   time.Duration `json:"longest_stop_ns"`
	}
	err = json.Unmarshal(b, &report)
	c.snapshots, c.stop, c.longest = report.Snapshots, report.Stopped, report.Longest
	return c, err
}

// runsOf are the runs of one tool.
type runsOf []runCost

func (r *runsOf) add(c runCost, err error) error {
	*r = append(*r, c)
	return err
}

// print prints the line of a tool. Length is that of a sampling, 0 for one snapshot.
func (r runsOf) print(tool string, length time.Duration) {
	var wall, cpu, stop []time.Duration
	memory, snapshots := int64(0), 0
	for _, c := range r {
		wall, cpu, stop = append(wall, c.wall), append(cpu, c.cpu), append(stop, c.longest)
		memory, snapshots = max(memory, c.memory), c.snapshots
	}
	fmt.Printf("  %-20s CPU %10s (median) %10s (max), wall %10s (median), %3d MB", tool,
		text(cpu, len(cpu)/2), text(cpu, len(cpu)-1), text(wall, len(wall)/2), memory>>20)
	if length > 0 {
		fmt.Printf(", %.1f %% of a CPU", 100*cpu[len(cpu)/2].Seconds()/length.Seconds())
	}
	if snapshots > 0 {
		fmt.Printf(", %d snapshots, longest stop %s (median) %s (max)", snapshots, text(stop, len(stop)/2), text(stop, len(stop)-1))
	}
	fmt.Println()
}
