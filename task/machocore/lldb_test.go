package machocore_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// firstLLDB is the first version that reads the thread ids of a core's `process
// metadata`.
const firstLLDB = 19

// lldb runs commands on a core.
func lldb(t *testing.T, program, core string, commands ...string) string {
	t.Helper()
	args := []string{"--batch", "--no-lldbinit", "--core", core}
	for _, c := range commands {
		args = append(args, "-o", c)
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("lldb: %v\n%s", err, out)
	}
	return string(out)
}

// TestLLDBAgrees wants lldb to see the threads, registers and images that the
// truth has. Its backtraces are only reported where they differ.
func TestLLDBAgrees(t *testing.T) {
	program := needs.LLVM(t, "lldb", firstLLDB)
	cores, err := filepath.Glob("testdata/*.core")
	if err != nil || len(cores) < 4 {
		t.Fatal("cores are missing: ", cores, err)
	}
	for _, core := range cores {
		t.Run(filepath.Base(core), func(t *testing.T) {
			truth := readTruth(t, core)
			if truth.Arch == "x86_64" && truth.Threads[0].ID == 0 {
				t.Log("lldb does not read the unified state that the kernel writes on x86_64: images alone")
				checkImages(t, lldb(t, program, core, "image list"), truth)
				return
			}
			commands := []string{"image list"}
			for i := range truth.Threads {
				commands = append(commands, fmt.Sprintf("thread select %d", i+1), "thread info", "register read", "bt")
			}
			out := lldb(t, program, core, commands...)
			checkImages(t, out, truth)
			threads := strings.Split(out, "(lldb) thread select ")[1:]
			if len(threads) != len(truth.Threads) {
				t.Fatalf("lldb answered for %d threads, want %d", len(threads), len(truth.Threads))
			}
			for i, text := range threads {
				checkThread(t, text, truth.Arch, &truth.Threads[i])
			}
		})
	}
}

var imageLine = regexp.MustCompile(`(?m)^\[ *\d+\] ([0-9A-F-]{36}) (0x[0-9a-f]+) (\S+)`)

func checkImages(t *testing.T, out string, truth *corefile.Truth) {
	t.Helper()
	got := map[string]string{}
	for _, m := range imageLine.FindAllStringSubmatch(out, -1) {
		got[strings.ToLower(strings.ReplaceAll(m[1], "-", ""))] = strings.Replace(m[2], "0x", "", 1)
	}
	for _, im := range truth.Images {
		load, err := strconv.ParseUint(got[im.UUID], 16, 64)
		if err != nil || hexOf(load) != im.Load {
			t.Errorf("lldb has %s at %q, want %s", im.Path, got[im.UUID], im.Load)
		}
	}
}

// registerNames are lldb's, by DWARF number.
var registerNames = map[string][]string{
	"arm64": {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
		"x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "fp", "lr", "sp", "pc"},
	"x86_64": {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rip"},
}

var registerLine = regexp.MustCompile(`(?m)^ +(\w+) = (0x[0-9a-f]+)`)

func checkThread(t *testing.T, text, arch string, truth *corefile.TruthThread) {
	t.Helper()
	if id := fmt.Sprintf("tid = 0x%x", truth.ID); !strings.Contains(text, id+",") && !strings.Contains(text, fmt.Sprintf("tid = 0x%04x", truth.ID)) {
		t.Errorf("thread %d: lldb does not say %q:\n%s", truth.ID, id, text)
	}
	got := map[string]string{}
	for _, m := range registerLine.FindAllStringSubmatch(text, -1) {
		v, _ := strconv.ParseUint(m[2][2:], 16, 64)
		got[m[1]] = hexOf(v)
	}
	for i, name := range registerNames[arch] {
		if got[name] != truth.Registers[i] {
			t.Errorf("thread %d: lldb has %s = %s, want %s", truth.ID, name, got[name], truth.Registers[i])
		}
	}
	reportBacktrace(t, text, truth)
}

var frameLine = regexp.MustCompile(`frame #(\d+): (0x[0-9a-f]+)`)

func reportBacktrace(t *testing.T, text string, truth *corefile.TruthThread) {
	t.Helper()
	var got, want []string
	for _, m := range frameLine.FindAllStringSubmatch(text[strings.Index(text, "(lldb) bt"):], -1) {
		if m[1] != strconv.Itoa(len(got)) {
			continue // lldb shows where it stopped as well, in between
		}
		v, _ := strconv.ParseUint(m[2][2:], 16, 64)
		got = append(got, task.Addr(v).String())
	}
	for _, call := range truth.Chain {
		want = append(want, call.PC)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Logf("thread %d (%s): lldb's backtrace\n  %v\nis not the true chain\n  %v", truth.ID, truth.Name, got, want)
	}
}
