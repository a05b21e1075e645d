//go:build linux

// Command bench measures one snapshot by stacksnap beside eu-stack and gdb, on
// the same targets in one run and in turn: CPU time, wall time, how long the target
// was stopped as seen from outside, and the bare system calls that a stop cannot do
// without.
//
//	go run ./scripts/bench [-runs 20] [-threads 8,64]
//
// With -sampling it compares sampling over time instead, at 100 and 1,000 a
// second and as fast as it goes, beside the bare system calls, perf, eu-stack and
// gdb:
//
//	go run ./scripts/bench -sampling 1500ms -rounds 3 -threads 1,8,64
//
// Its column "ratio" is the stopped time beside that of the better of the two
// ways to make no more than the bare system calls, of those that take at least
// half as many snapshots as the other. "p99.5" and "max" are for how long a piece of
// the target's own work took by its own clock. -rates and -only leave out
// some of it: -rates 100,1000 -only stacksnap.
//
// With -idle it measures what a hang watch of a program that only waits costs,
// beside a C program that sleeps as often and reads one file:
//
//	go run ./scripts/bench -idle 20s
//
// With -tree it compares one snapshot of a running process and all that it has started
// with one of each in turn:
//
//	go run ./scripts/bench -tree PID
//
// With -python it compares one snapshot and sampling of Python programs with the profiling.sampling
// of that Python, 3.15 or later, for so long each:
//
//	go run ./scripts/bench -python python3.15 [-sampling 3s] [-runs 5]
//
// With -names it measures how long it takes to name so many places in the code of ELF
// files, or else of 400 libraries of this system, and what memory, beside
// llvm-symbolizer:
//
//	go run ./scripts/bench -names 1,1000 [FILE...]
//
// It needs gcc; peers that are not installed are left out.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("runs", 20, "runs of each tool on each target")
	threads := flag.String("threads", "8,64", "numbers of threads, each 50 calls deep")
	length := flag.Duration("sampling", 0, "compare sampling, for so long each")
	rounds := flag.Int("rounds", 1, "of sampling by each in turn")
	rates := flag.String("rates", "100,1000,max", "samples a second")
	only := flag.String("only", "", "compare the samplers with this in their name")
	watched := flag.Duration("idle", 0, "measure a hang watch of an idle program, for so long each")
	family := flag.Int("tree", 0, "measure a snapshot of this process with its descendants")
	python := flag.String("python", "", "compare with the profiling.sampling of this Python")
	named := flag.String("names", "", "name so many places in the code of files")
	resolving := flag.Bool("resolve", false, "name the places in standard input, once")
	flag.Parse()
	var err error
	switch {
	case *resolving:
		err = resolve(os.Stdin, os.Stdout)
	case *python != "":
		err = comparePython(pythonPlan{python: *python, runs: *runs, length: cmp.Or(*length, 3*time.Second)})
	case *named != "":
		err = names(*runs, strings.Split(*named, ","), flag.Args())
	case *family > 0:
		err = tree(*runs, *family)
	case *watched > 0:
		err = idle(*watched)
	case *length > 0:
		err = sampling(plan{*length, *rounds, strings.Split(*threads, ","), strings.Split(*rates, ","), *only})
	default:
		err = bench(*runs, strings.Split(*threads, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(runs int, threads []string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stacksnap, deep := filepath.Join(dir, "stacksnap"), filepath.Join(dir, "deep")
	if err := build(stacksnap); err != nil {
		return err
	}
	if err := command("gcc", "-O2", "-pthread", "-o", deep, "scripts/e2e/testdata/deep.c").Run(); err != nil {
		return err
	}
	heading()
	for _, n := range threads {
		if err := target(runs, n, deep, stacksnap); err != nil {
			return err
		}
	}
	return nil
}

// target measures every tool on one target.
func target(runs int, threads, deep, stacksnap string) error {
	cmd := exec.Command(deep, threads, "read")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { stdin.Close(); _ = cmd.Wait() }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return err
	}
	pid := strconv.Itoa(cmd.Process.Pid)
	if err := measure(runs, threads, cmd.Process.Pid, installed([][]string{
		{stacksnap, "-p", pid},
		{stacksnap, "-p", pid, "-f", "folded"},
		{stacksnap, "--version"},
		{"eu-stack", "-n", "0", "-p", pid},
		{"gdb", "-nx", "-p", pid, "-batch", "-ex", "thread apply all bt"},
	})); err != nil {
		return err
	}
	return floor(runs, threads, cmd.Process.Pid)
}

// installed returns the tools that are there.
func installed(tools [][]string) [][]string {
	return slices.DeleteFunc(tools, func(tool []string) bool {
		_, err := exec.LookPath(tool[0])
		return err != nil
	})
}

// costs is what runs of a tool took.
type costs struct{ cpu, wall, stopped []time.Duration }

// measure runs the tools in turn, again and again, so that what else the machine does meets all alike, and
// prints their lines.
func measure(runs int, threads string, pid int, tools [][]string) error {
	all := make([]costs, len(tools))
	for range runs {
		for i, tool := range tools {
			if err := all[i].run(pid, tool); err != nil {
				return err
			}
		}
	}
	for i, tool := range tools {
		row(threads, label(tool), &all[i])
	}
	return nil
}

func (s *costs) run(pid int, tool []string) error {
	w := watch(pid)
	begin := time.Now()
	cmd := exec.Command(tool[0], tool[1:]...)
	cmd.Stdout = io.Discard
	if err := cmd.Run(); err != nil {
		w.end()
		return fmt.Errorf("%s: %w", tool[0], err)
	}
	s.wall = append(s.wall, time.Since(begin))
	s.cpu = append(s.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	s.stopped = append(s.stopped, w.end())
	return nil
}

// label is a tool's name, with what it was asked besides a process.
func label(tool []string) string {
	name := filepath.Base(tool[0])
	if name == "stacksnap" && tool[len(tool)-2] != "-p" {
		name += " " + tool[len(tool)-1]
	}
	return name
}

const columns = "%-8s %-22s %10s %10s %10s %10s %12s %10s\n"

func heading() {
	fmt.Printf(columns, "threads", "tool", "CPU min", "median", "wall min", "median", "stopped min", "median")
}

func row(threads, name string, s *costs) {
	fmt.Printf(columns, threads, name, text(s.cpu, 0), text(s.cpu, len(s.cpu)/2),
		text(s.wall, 0), text(s.wall, len(s.wall)/2), text(s.stopped, 0), text(s.stopped, len(s.stopped)/2))
}

// text is the ith smallest of the durations, in words.
func text(d []time.Duration, i int) string {
	if len(d) == 0 {
		return "-"
	}
	slices.Sort(d)
	return d[i].Round(time.Microsecond).String()
}

// build builds the program as it is released for Linux.
func build(to string) error {
	cmd := command("go", "build", "-trimpath", "-ldflags=-s -w -funcalign=16", "-o", to, "stacksnap")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd.Run()
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}
