//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// chains counts samples by the functions of the kernel that they were in, the outermost
// first, and as "" those that were in none.
type chains map[string]int

func (c chains) total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// most are those in the kernel that so many percent of the samples were in.
func (c chains) most(percent int) (names []string) {
	for name, n := range c {
		if name != "" && 100*n >= percent*c.total() {
			names = append(names, name)
		}
	}
	return names
}

// foldedChains are those of folded stacks.
func foldedChains(text string) chains {
	c := chains{}
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, ' ')
		n, _ := strconv.Atoi(strings.TrimSpace(line[at+1:]))
		if strings.Contains(line, "<no stack>") {
			continue
		}
		var inKernel []string
		for frame := range strings.SplitSeq(line[:at], ";") {
			if name, ok := strings.CutSuffix(frame, "_[k]"); ok {
				inKernel = append(inKernel, name)
			}
		}
		c[strings.Join(inKernel, ";")] += n
	}
	return c
}

// perfChains are those that perf record and perf script tell of a process.
func perfChains(t *testing.T, pid string) chains {
	t.Helper()
	data := filepath.Join(t.TempDir(), "perf.data")
	if b, err := exec.Command("perf", "record", "-o", data, "-e", "task-clock", "-c", "1000000", "-g", "-p", pid, "--", "sleep", "2").CombinedOutput(); err != nil {
		needs.Skip(t, "perf record", fmt.Sprintf("%v\n%s", err, b))
	}
	b, err := exec.Command("perf", "script", "-i", data, "-F", "ip,sym").Output()
	if err != nil {
		t.Fatalf("perf script: %v", err)
	}
	c := chains{}
	for sample := range bytes.SplitSeq(bytes.TrimSpace(b), []byte("\n\n")) {
		var inKernel []string
		for line := range strings.Lines(string(sample)) {
			address, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			if a, err := strconv.ParseUint(address, 16, 64); err == nil && a >= 1<<63 {
				inKernel = append(inKernel, name)
			}
		}
		slices.Reverse(inKernel)
		c[strings.Join(inKernel, ";")]++
	}
	return c
}

// TestKernelOfThreadsThatRun: a program that spends a part of its time in system calls is
// seen in the kernel's functions in which perf sees it, called from where it calls them.
func TestKernelOfThreadsThatRun(t *testing.T) {
	needKernelStacks(t)
	need(t, "perf")
	cmd := start(t, compile(t, "shares", "-O2"), "calls")
	needObserver(t, cmd, task.SuspendNone)
	r := snap(t, "-p", pid(cmd), "--no-stop", "--kernel", "-d", "2s", "-f", "folded")
	if r.code != exitOK || strings.Contains(r.err, "kptr_restrict") {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	ours, perfs := foldedChains(r.out), perfChains(t, pid(cmd))
	inUser := func(c chains) int { return 100 * c[""] / max(1, c.total()) }
	t.Logf("in user code: %d %% of %d samples, perf's %d %% of %d", inUser(ours), ours.total(), inUser(perfs), perfs.total())
	const share = 10
	if len(perfs.most(share)) == 0 || len(ours.most(share)) == 0 {
		t.Errorf("in the kernel: %v, perf's %v", ours, perfs)
	}
	for _, name := range ours.most(share) {
		if perfs[name] == 0 {
			t.Errorf("perf never saw %q: %v", name, perfs)
		}
	}
	for _, name := range perfs.most(share) {
		if ours[name] == 0 {
			t.Errorf("perf alone saw %q: %v", name, ours)
		}
	}
	for line := range strings.Lines(r.out) {
		if strings.Contains(line, "read_[k]") && !strings.Contains(line, ";main;") {
			t.Errorf("not called from the program: %s", line)
		}
	}
}
