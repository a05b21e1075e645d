package elf

import (
	"bufio"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// liveProcess is a process as /proc shows it, as much as Load asks for.
type liveProcess struct {
	task.Process
	info task.Info
	mem  *os.File
}

func (p *liveProcess) Capabilities() task.Capabilities { return task.Capabilities{} }

func openLive(t testing.TB, pid int) *liveProcess {
	t.Helper()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		needs.Feature(t, "ptrace", err, fs.ErrPermission)
	}
	t.Cleanup(func() { mem.Close() })
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		t.Fatal(err)
	}
	return &liveProcess{mem: mem, info: task.Info{
		PID: pid, Path: strings.TrimSuffix(exe, " (deleted)"), OS: task.Linux, Live: true, PageSize: os.Getpagesize(),
	}}
}

func (p *liveProcess) Info() task.Info     { return p.info }
func (p *liveProcess) Memory() task.Memory { return p }

func (p *liveProcess) ReadMemory(b []byte, a task.Addr) (int, error) {
	n, err := p.mem.ReadAt(b, int64(a))
	if n < len(b) {
		return n, &task.FaultError{Addr: a + task.Addr(n), Err: err}
	}
	return n, nil
}

func (p *liveProcess) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		f, err := os.Open(fmt.Sprintf("/proc/%d/maps", p.info.PID))
		if err != nil {
			yield(task.Region{}, err)
			return
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if !yield(region(s.Text()), nil) {
				return
			}
		}
	}
}

// region reads a line of maps; the kernel's lines are well-formed.
func region(line string) task.Region {
	var r task.Region
	var perms string
	var major, minor uint32
	fmt.Sscanf(line, "%x-%x %s %x %x:%x %d", &r.Start, &r.End, &perms, &r.Offset, &major, &minor, &r.Inode)
	for i, bit := range []task.Prot{task.Read, task.Write, task.Execute} {
		if perms[i] != '-' {
			r.Prot |= bit
		}
	}
	r.Dev = unix.Mkdev(major, minor)
	if fields := strings.SplitN(line, " ", 6); len(fields) == 6 {
		r.Path, r.PathDeleted = strings.CutSuffix(strings.TrimLeft(fields[5], " "), " (deleted)")
	}
	return r
}
