//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// needKernelStacks skips where the kernel does not tell its stacks.
func needKernelStacks(t *testing.T) {
	t.Helper()
	_, err := os.ReadFile("/proc/self/stack")
	needs.Feature(t, "/proc/PID/stack", err, fs.ErrNotExist, fs.ErrPermission)
}

// kernelLine is a line of a stack file.
var kernelLine = regexp.MustCompile(`(?m)^\[<[0-9a-f]+>\] ([^+\n]+)\+(0x[0-9a-f]+)/0x[0-9a-f]+(?: \[(.+)\])?$`)

// kernelStack is what the kernel says itself, as reports have it: the outermost first.
func kernelStack(t *testing.T, pid string) (frames []string) {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/stack")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range kernelLine.FindAllStringSubmatch(string(b), -1) {
		name := m[1]
		if m[3] != "" {
			name += " [" + m[3] + "]"
		}
		var offset uint64
		if _, err := fmt.Sscanf(m[2], "0x%x", &offset); err != nil {
			t.Fatal(err)
		}
		frames = append(frames, fmt.Sprintf("%s [k] + %d", name, offset))
	}
	slices.Reverse(frames)
	return frames
}

// stuckReader reads a file whose server does not answer.
func stuckReader(t *testing.T) (reader *exec.Cmd, file string) {
	t.Helper()
	file, end := silentFile(t)
	reader = start(t, compile(t, "reader", "-O1", "-g"), file)
	t.Cleanup(end) // before it is killed
	eventually(t, "it waits for the file", func() bool {
		b, _ := os.ReadFile("/proc/" + pid(reader) + "/wchan")
		return string(b) == "request_wait_answer"
	})
	return reader, file
}

// TestKernelOfDiskWait shows where in the kernel a thread is that waits for a file, the
// file, and the program's functions around it: as the kernel tells it itself. A snapshot
// stops nothing for it.
func TestKernelOfDiskWait(t *testing.T) {
	needKernelStacks(t)
	reader, file := stuckReader(t)
	saved := filepath.Join(t.TempDir(), "it.snap")
	live := []string{"-p", pid(reader), "--kernel"}
	for _, args := range [][]string{live, append(live, "-d", "100ms"), append(live, "--no-stop", "-n", "20", "--save", saved), {saved}} {
		want := kernelStack(t, pid(reader))
		r := snap(t, append(args, "-f", "json")...)
		if r.code != exitOK {
			t.Fatalf("%v: exit %d: %s", args, r.code, r.err)
		}
		stack := heaviest(t, r.out)
		got := inKernel(stack)
		if len(args) > len(live) { // the kernel waits on in another line when it was told to stop
			got, want = functionsOf(got), functionsOf(want)
		}
		if len(want) < 3 || !slices.Equal(got, want) {
			t.Errorf("%v: got %q, want %q", args, got, want)
		}
		if user := stack[:len(stack)-len(got)]; len(user) < 3 || !isProgram(user) {
			t.Errorf("%v: around them %v", args, user)
		}
		if !strings.Contains(r.out, file) || args[len(args)-1] == "--kernel" && !strings.Contains(r.out, `"stopped_ns": 0`) {
			t.Errorf("%v: not the file, or it was stopped:\n%s", args, r.out)
		}
	}
}

// isProgram reports whether a stack is that of testdata/reader.c.
func isProgram(stack []jsonFrame) bool {
	last := len(stack) - 1
	return stack[last-2].Function == "main" && stack[last-1].Function == "reads_file" && stack[last].Function == "read"
}

// inKernel are the frames of a stack that are, as kernelStack has them.
func inKernel(stack []jsonFrame) (frames []string) {
	for _, n := range stack {
		if n.Kernel {
			frames = append(frames, fmt.Sprintf("%s [k] + %d", n.Function, n.Offset))
		}
	}
	return frames
}

// functionsOf leaves out where in the functions frames are.
func functionsOf(frames []string) (names []string) {
	for _, f := range frames {
		name, _, _ := strings.Cut(f, " + ")
		names = append(names, name)
	}
	return names
}

// TestKernelOfSleeper: a thread that is woken to be stopped has the frames that it had
// before, and never those of the stop. The program's frames are those that eu-stack has.
func TestKernelOfSleeper(t *testing.T) {
	needKernelStacks(t)
	need(t, "sleep", "eu-stack")
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	sleeps(t, pid(cmd))
	for _, args := range [][]string{nil, nil, {"-n", "50"}, {"-n", "50", "--suspend", "task"}} {
		sleeps(t, pid(cmd))
		want := kernelStack(t, pid(cmd))
		r := snap(t, append(args, "-p", pid(cmd), "--kernel", "-f", "json")...)
		names := heaviest(t, r.out)
		got := inKernel(names)
		if args == nil && !slices.Equal(got, want) {
			t.Errorf("%v: got %q, want %q", args, got, want)
		}
		if len(got) == 0 || strings.Contains(fmt.Sprint(got), "ptrace") || strings.Contains(fmt.Sprint(got), "signal") {
			t.Errorf("%v: %q", args, got)
		}
		if last := names[len(names)-len(got)-1].Function; !strings.Contains(euStack(t, pid(cmd)), " "+last) {
			t.Errorf("%v: %q is not where eu-stack has it", args, last)
		}
	}
}

// jsonFrame is a frame of a document.
type jsonFrame struct {
	Function string
	Offset   uint64
	Kernel   bool
	Depth    int
	Count    int
}

// heaviest is the stack of the only thread, the outermost frame first, by the heavier
// way where there are several.
func heaviest(t *testing.T, document string) (stack []jsonFrame) {
	t.Helper()
	var d struct{ Threads []struct{ Nodes []jsonFrame } }
	if err := json.Unmarshal([]byte(document), &d); err != nil || len(d.Threads) != 1 {
		t.Fatalf("%v in\n%s", err, document)
	}
	for _, n := range d.Threads[0].Nodes {
		if n.Depth < len(stack) {
			break
		}
		stack = append(stack, n)
	}
	return stack
}

// euStack is what eu-stack tells of the functions of a process.
func euStack(t *testing.T, pid string) string {
	t.Helper()
	b, err := exec.Command("eu-stack", "-p", pid).Output()
	if err != nil && len(b) == 0 {
		t.Fatalf("eu-stack: %v", err)
	}
	return string(b)
}
