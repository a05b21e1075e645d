//go:build linux

// Command bench measures one snapshot by stacksnap beside eu-stack and gdb, on
// the same targets in one run: the wall time of each, how long the target stood
// as seen from outside, and the bare system calls that a stop cannot do without.
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
	fmt.Printf("%-8s %-22s %12s %12s %14s %14s\n", "threads", "tool", "wall min", "median", "stopped min", "median")
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
	for _, tool := range [][]string{
		{stacksnap, "-p", pid},
		{"eu-stack", "-n", "0", "-p", pid},
		{"gdb", "-nx", "-p", pid, "-batch", "-ex", "thread apply all bt"},
	} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			continue
		}
		if err := measure(runs, threads, cmd.Process.Pid, tool); err != nil {
			return err
		}
	}
	return floor(runs, threads, cmd.Process.Pid)
}

// measure runs one tool again and again and prints its line.
func measure(runs int, threads string, pid int, tool []string) error {
	var wall, stopped []time.Duration
	for range runs {
		w := watch(pid)
		begin := time.Now()
		cmd := exec.Command(tool[0], tool[1:]...)
		cmd.Stdout = io.Discard
		if err := cmd.Run(); err != nil {
			w.end()
			return fmt.Errorf("%s: %w", tool[0], err)
		}
		wall = append(wall, time.Since(begin))
		stopped = append(stopped, w.end())
	}
	row(threads, filepath.Base(tool[0]), wall, stopped)
	return nil
}

func row(threads, name string, wall, stopped []time.Duration) {
	fmt.Printf("%-8s %-22s %12s %12s %14s %14s\n", threads, name,
		text(wall, 0), text(wall, len(wall)/2), text(stopped, 0), text(stopped, len(stopped)/2))
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
	cmd := command("go", "build", "-o", to, "stacksnap")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd.Run()
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}
