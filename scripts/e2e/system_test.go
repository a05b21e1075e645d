//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// manyProcesses are started beside whatever else runs, or fewer (rounds).
const manyProcesses = 300

func asSelf(cmd *exec.Cmd) *exec.Cmd { return cmd }

// startMany starts programs that do nothing, and returns their pids.
func startMany(t *testing.T, program string, n int, as func(*exec.Cmd) *exec.Cmd) (pids []string) {
	t.Helper()
	for range n {
		cmd := as(exec.Command(program, "1000"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		pids = append(pids, pid(cmd))
	}
	for _, p := range pids {
		eventually(t, p+" sleeps", func() bool {
			b, _ := os.ReadFile("/proc/" + p + "/wchan")
			return strings.Contains(string(b), "nanosleep")
		})
	}
	return pids
}

// systemProcess is what a report has of one.
type systemProcess struct {
	Target struct {
		PID  int
		Name string
	}
	Stopped int `json:"stopped_ns"`
	Stops   int

	Snapshots int
	Notes     []string
	Threads   []systemThread
}

type systemThread struct {
	ID           int
	State, Error string
	Nodes        []jsonFrame
}

// survey runs stacksnap --system -f jsonl, and meanwhile what is given.
func survey(t *testing.T, cmd *exec.Cmd, meanwhile ...func()) (all []systemProcess, told string) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	began := time.Now()
	err := cmd.Start()
	for _, do := range meanwhile {
		do()
	}
	if err = errors.Join(err, cmd.Wait()); err != nil {
		t.Fatalf("%v: %s", err, &errOut)
	}
	took := time.Since(began)
	for line := range bytes.Lines(out.Bytes()) {
		var p systemProcess
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if p.Target.PID != 0 { // the first line is on all of them
			all = append(all, p)
		}
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d processes in %v, %v of CPU time, %d MB of memory at most", len(all), took.Round(time.Millisecond),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Millisecond), usage.Maxrss>>10)
	return all, errOut.String()
}

// runsOf is how often a process has come to a processor.
func runsOf(t *testing.T, pid string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/schedstat")
	if words := strings.Fields(string(b)); err == nil && len(words) == 3 {
		return words[2]
	}
	needs.Skip(t, "/proc/PID/schedstat", fmt.Sprintf("%q, %v", b, err))
	return ""
}

// TestSystem reports on many processes, of which none comes to a processor for
// it: with the program's frames that eu-stack has, and the kernel's as the kernel tells.
func TestSystem(t *testing.T) {
	needKernelStacks(t)
	need(t, "sleep", "eu-stack")
	stuck := start(t, compile(t, "stuck", "-O1", "-g"))
	eventually(t, "it sleeps", func() bool {
		b, _ := os.ReadFile("/proc/" + pid(stuck) + "/stat")
		return strings.Contains(string(b), ") D ")
	})
	sleep, _ := exec.LookPath("sleep")
	pids := startMany(t, copyOf(t, sleep, "idle-e2e"), rounds(manyProcesses), asSelf)
	want, runs := kernelStack(t, pids[7]), runsOf(t, pids[7])
	all, _ := survey(t, exec.Command(stacksnap, "--system", "-f", "jsonl"))
	found := map[string]systemProcess{}
	for _, p := range all {
		found[strconv.Itoa(p.Target.PID)] = p
		if p.Stopped != 0 || p.Stops != 0 {
			t.Errorf("%d was stopped: %+v", p.Target.PID, p)
		}
	}
	for _, id := range pids {
		if p := found[id]; p.Target.Name != "idle-e2e" || len(p.Threads) != 1 || len(p.Threads[0].Nodes) < len(want)+3 {
			t.Fatalf("%s: %+v", id, p)
		}
	}
	if now := runsOf(t, pids[7]); now != runs {
		t.Errorf("it came to a processor: %s, before %s", now, runs)
	}
	stack := found[pids[7]].Threads[0].Nodes
	if got := inKernel(stack); !slices.Equal(got, want) {
		t.Errorf("in the kernel: %q, want %q", got, want)
	}
	if last := stack[len(stack)-len(want)-1].Function; !strings.Contains(euStack(t, pids[7]), " "+last) {
		t.Errorf("%q is not where eu-stack has it", last)
	}
	at := func(is func(systemProcess) bool) int { return slices.IndexFunc(all, is) }
	isStuck := func(p systemProcess) bool { return strconv.Itoa(p.Target.PID) == pid(stuck) }
	isIdle := func(p systemProcess) bool { return p.Target.Name == "idle-e2e" }
	if i := at(isStuck); i < 0 || i > at(isIdle) {
		t.Errorf("what is stuck is number %d, and the first that does nothing %d", i, at(isIdle))
	}
	checkKernelThreads(t, all[len(all)-1])
}

// checkKernelThreads requires the threads of the kernel, where there are any.
func checkKernelThreads(t *testing.T, p systemProcess) {
	t.Helper()
	b, err := os.ReadFile("/proc/2/comm")
	if err != nil || string(b) != "kthreadd\n" {
		needs.Skip(t, "threads of the kernel in sight", "")
	}
	at := slices.IndexFunc(p.Threads, func(t systemThread) bool { return t.ID == 2 })
	if p.Target.Name != "kernel threads" || at < 0 {
		t.Fatalf("the last is %s, without kthreadd", p.Target.Name)
	}
	if got, want := inKernel(p.Threads[at].Nodes), kernelStack(t, "2"); !slices.Equal(got, want) {
		t.Errorf("kthreadd: %q, want %q", got, want)
	}
}

// TestSystemForUser shows an ordinary user his own processes with their stacks, others by
// name and state, and says in a line what root would see.
func TestSystemForUser(t *testing.T) {
	needKernelStacks(t)
	need(t, "sleep")
	sleep, _ := exec.LookPath("sleep")
	needs.Root(t)
	others := startMany(t, copyOf(t, sleep, "idle-e2e"), rounds(manyProcesses), asSelf)
	own := startMany(t, sleep, 1, asNobody)[0]
	other := others[0]
	program := filepath.Join(publicDir(t), "stacksnap")
	copyFile(t, stacksnap, program)
	all, told := survey(t, asNobody(exec.Command(program, "--system", "-f", "jsonl")))
	if !strings.Contains(told, "run sudo stacksnap -p") || strings.Count(told, "\n") != 1 {
		t.Errorf("told %q", told)
	}
	seen := 0
	for _, p := range all {
		switch strconv.Itoa(p.Target.PID) {
		case own:
			seen++
			if stack := p.Threads[0].Nodes; len(stack) < 3 || len(inKernel(stack)) != 2 {
				t.Errorf("his own: %+v", p)
			}
		case other:
			seen++
			if th := p.Threads[0]; len(th.Nodes) > 0 || th.State != "sleeping" || th.Error == "" || p.Target.Name != "idle-e2e" {
				t.Errorf("another's: %+v", p)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of two are in the report", seen)
	}
}

// TestSystemOfSome chooses by name.
func TestSystemOfSome(t *testing.T) {
	need(t, "sleep")
	sleep, _ := exec.LookPath("sleep")
	pids := startMany(t, copyOf(t, sleep, "chosen-e2e"), 3, asSelf)
	all, _ := survey(t, exec.Command(stacksnap, "--system", "-f", "jsonl", "-p", "chosen-e2e"))
	if len(all) != len(pids) {
		t.Errorf("%d processes, want %d: %+v", len(all), len(pids), all)
	}
}

// TestSystemSampled samples many processes, of which those that sleep never come
// to a processor for it, one that computes is seen in its functions, one that is begun
// meanwhile from then on, and one that ends until then.
func TestSystemSampled(t *testing.T) {
	needKernelStacks(t)
	need(t, "sleep", "eu-stack")
	busy := start(t, compile(t, "shares", "-O2"), "split")
	needObserver(t, busy, task.SuspendNone)
	sleep, _ := exec.LookPath("sleep")
	program := copyOf(t, sleep, "idle-e2e")
	pids := startMany(t, program, rounds(manyProcesses), asSelf)
	runs := runsOf(t, pids[7])
	var all []systemProcess
	ends, begins, found := "", "", map[string]systemProcess{}
	// Where others keep the processors there are few samples, and none of what is killed as soon as it is found.
	for d := 4 * time.Second; d <= 64*time.Second && (found[pid(busy)].Snapshots < 8 || found[ends].Snapshots == 0); d *= 2 {
		cmd := exec.Command(stacksnap, "--system", "-i", "50ms", "-d", d.String(), "-f", "jsonl")
		ends = startMany(t, program, 1, asSelf)[0]
		all, _ = survey(t, cmd, func() {
			isSampled(t, cmd, ends)
			number, _ := strconv.Atoi(ends)
			_ = syscall.Kill(number, syscall.SIGKILL)
			begins = startMany(t, program, 1, asSelf)[0]
		})
		for _, p := range all {
			found[strconv.Itoa(p.Target.PID)] = p
			if p.Stopped != 0 || p.Stops != 0 {
				t.Errorf("%d was stopped: %+v", p.Target.PID, p)
			}
		}
	}
	if now := runsOf(t, pids[7]); now != runs {
		t.Errorf("it came to a processor: %s, before %s", now, runs)
	}
	for _, id := range pids {
		p := found[id]
		if len(p.Threads) != 1 || p.Snapshots < 2 || p.Threads[0].Nodes[0].Count != p.Snapshots || p.Snapshots != found[pids[0]].Snapshots {
			t.Fatalf("%s: %+v", id, p)
		}
	}
	stack := found[pids[7]].Threads[0].Nodes
	if got, want := inKernel(stack), kernelStack(t, pids[7]); !slices.Equal(got, want) {
		t.Errorf("in the kernel: %q, want %q", got, want)
	}
	if last := stack[len(stack)-len(inKernel(stack))-1].Function; !strings.Contains(euStack(t, pids[7]), " "+last) {
		t.Errorf("%q is not where eu-stack has it", last)
	}
	b := found[pid(busy)]
	inSeventy := 0 // by several calls, at several instructions
	for _, n := range b.Threads[0].Nodes {
		if n.Function == "seventy" {
			inSeventy += n.Count
		}
	}
	if inSeventy <= b.Snapshots/3 {
		t.Errorf("what computes: %+v", b)
	}
	for text, of := range map[string]string{"it ended": ends, "it was found": begins} {
		if p := found[of]; p.Snapshots == 0 || p.Snapshots >= b.Snapshots || !strings.Contains(strings.Join(p.Notes, "\n"), text) {
			t.Errorf("%s: %+v", text, p)
		}
	}
	if slices.Index(processNames(all), "shares") > slices.Index(processNames(all), "idle-e2e") {
		t.Error("what computes is behind what does nothing")
	}
}

func processNames(all []systemProcess) (names []string) {
	for _, p := range all {
		names = append(names, p.Target.Name)
	}
	return names
}

// isSampled waits until stacksnap has looked at a process.
func isSampled(t *testing.T, cmd *exec.Cmd, target string) {
	t.Helper()
	eventually(t, "it looks at "+target, func() bool {
		files, _ := filepath.Glob("/proc/" + pid(cmd) + "/fd/*")
		return slices.ContainsFunc(files, func(f string) bool {
			path, _ := os.Readlink(f)
			return strings.HasPrefix(path, "/proc/"+target+"/") && strings.HasSuffix(path, "/schedstat")
		})
	})
}

// TestSystemInterrupted reports what was sampled until then.
func TestSystemInterrupted(t *testing.T) {
	need(t, "sleep")
	if ossignal.Ignored(os.Interrupt) { // as under nohup; what we start ignores it, too
		needs.Skip(t, "SIGINT", "it is ignored here")
	}
	sleep, _ := exec.LookPath("sleep")
	pids := startMany(t, copyOf(t, sleep, "chosen-e2e"), 2, asSelf)
	cmd := exec.Command(stacksnap, "--system", "-p", "chosen-e2e", "-d", "1h", "-f", "jsonl")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	isSampled(t, cmd, pids[1])
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 || !strings.Contains(out.String(), "captured in turn") {
		t.Errorf("%d lines:\n%s", n, &out)
	}
}
