//go:build linux

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// watching is a stacksnap that runs until it is told to end.
type watching struct {
	*exec.Cmd
	t        *testing.T
	out, err string // files
}

// run starts stacksnap.
func run(t *testing.T, args ...string) *watching {
	t.Helper()
	return runAs(t, nil, args...)
}

func runAs(t *testing.T, attributes *syscall.SysProcAttr, args ...string) *watching {
	t.Helper()
	dir := t.TempDir()
	w := &watching{exec.Command(stacksnap, args...), t, filepath.Join(dir, "out"), filepath.Join(dir, "err")}
	out, err := os.Create(w.out)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	errOut, err := os.Create(w.err)
	if err != nil {
		t.Fatal(err)
	}
	defer errOut.Close()
	w.Stdout, w.Stderr, w.SysProcAttr = out, errOut, attributes
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Process.Kill()
		_ = w.Wait()
	})
	return w
}

// until returns when a condition holds; the test fails if stacksnap ends before.
func (w *watching) until(what string, holds func() bool) {
	w.t.Helper()
	for !holds() {
		if ended(w.Process.Pid) {
			w.t.Fatalf("stacksnap ended before %s: %s", what, w.text(w.err))
		}
		<-time.After(5 * time.Millisecond) // nothing depends on how long
	}
}

// ended reports whether a child is a zombie.
func ended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}

func (w *watching) text(file string) string {
	w.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// says returns when stacksnap has said some words on standard error.
func (w *watching) says(words string) {
	w.t.Helper()
	w.until("it said "+words, func() bool { return strings.Contains(w.text(w.err), words) })
}

// reads counts the read system calls of stacksnap: an idle look is one.
func (w *watching) reads() int {
	w.t.Helper()
	return number(w.t, fmt.Sprintf("/proc/%d/io", w.Process.Pid), "syscr:")
}

// watches reports whether stacksnap sleeps until its next look: it has a timer that
// is set (proc_pid_fdinfo(5)).
func (w *watching) watches() bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", w.Process.Pid))
	return slices.ContainsFunc(files, func(file string) bool {
		b, _ := os.ReadFile(file)
		return bytes.Contains(b, []byte("it_value: (")) && !bytes.Contains(b, []byte("it_value: (0, 0)"))
	})
}

// looks returns when stacksnap has looked so often.
func (w *watching) looks(n int) {
	w.t.Helper()
	w.until("watching", w.watches)
	before := w.reads()
	w.until("looking", func() bool { return w.reads() >= before+n })
}

// end interrupts stacksnap and returns what it left behind.
func (w *watching) end() result {
	w.t.Helper()
	_ = w.Process.Signal(os.Interrupt)
	return w.result()
}

// result waits for the end.
func (w *watching) result() result {
	w.t.Helper()
	var exit *exec.ExitError
	if err := w.Wait(); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return result{w.text(w.out), w.text(w.err), w.ProcessState.ExitCode()}
}

// number reads the number behind a key in a file of /proc.
func number(t *testing.T, file, key string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		needs.Feature(t, file, err, fs.ErrNotExist)
	}
	_, rest, found := strings.Cut("\n"+string(b), "\n"+key)
	word := strings.Fields(rest)
	if !found || len(word) == 0 {
		t.Fatalf("%s has no %s:\n%s", file, key, b)
	}
	n, err := strconv.Atoi(word[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// pauseFor stops a process for at least a time, as a suspended machine would.
func pauseFor(t *testing.T, p *os.Process, d time.Duration) {
	t.Helper()
	signal(t, p, syscall.SIGSTOP)
	<-time.After(d)
	signal(t, p, syscall.SIGCONT)
}

// signal sends a signal; all threads are stopped on return if it is SIGSTOP.
func signal(t *testing.T, p *os.Process, s syscall.Signal) {
	t.Helper()
	if err := p.Signal(s); err != nil {
		t.Fatal(err)
	}
	for s == syscall.SIGSTOP && !stands(p.Pid) {
		<-time.After(time.Millisecond)
	}
}

// stands reports whether all threads of a process are stopped by a signal.
func stands(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	return len(threads) > 0 && !slices.ContainsFunc(threads, func(file string) bool {
		b, err := os.ReadFile(file)
		return err == nil && !strings.Contains(string(b), ") T ")
	})
}
