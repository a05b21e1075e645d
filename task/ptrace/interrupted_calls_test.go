package ptrace

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// TestNumbersOfEndingCalls compares them with those that golang.org/x/sys/unix has of the
// kernel's headers, for each architecture: also that there are no others by these names.
func TestNumbersOfEndingCalls(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		needs.Skip(t, "golang.org/x/sys", "the go command does not find its source")
	}
	for arch, file := range map[task.Arch]string{task.AMD64: "amd64", task.I386: "386", task.ARM64: "arm64", task.ARM: "arm"} {
		b, err := os.ReadFile(filepath.Join(dir, "unix", "zsysnum_linux_"+file+".go"))
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[string]int{}
		for _, m := range regexp.MustCompile(`(?m)^\s*SYS_(\w+)\s*=\s*(\d+)$`).FindAllSubmatch(b, -1) {
			numbers[string(m[1])], _ = strconv.Atoi(string(m[2]))
		}
		compareNumbers(t, arch, numbers)
	}
}

// TestNumbersOfTheKernel compares those of this system's headers.
func TestNumbersOfTheKernel(t *testing.T) {
	const dir = "/usr/include/x86_64-linux-gnu/asm"
	for arch, file := range map[task.Arch]string{task.AMD64: "unistd_64.h", task.I386: "unistd_32.h"} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			needs.Skip(t, "the kernel's headers", "there are none in "+dir)
		}
		numbers := map[string]int{}
		for line := range bytes.Lines(b) {
			var name string
			var n int
			if k, _ := fmt.Sscanf(string(line), "#define __NR_%s %d", &name, &n); k == 2 {
				numbers[strings.ToUpper(name)] = n
			}
		}
		compareNumbers(t, arch, numbers)
	}
}

func compareNumbers(t *testing.T, arch task.Arch, numbers map[string]int) {
	t.Helper()
	if len(numbers) < 300 {
		t.Fatalf("%v: only %d calls", arch, len(numbers))
	}
	for i := range endingCalls {
		c := &endingCalls[i]
		want, is := numbers[strings.ToUpper(c.name)]
		if got, has := c.number(arch); has != is || has && got != want {
			t.Errorf("%v: %s is %d (%v), in the headers %d (%v)", arch, c.name, got, has, want, is)
		}
	}
}

func TestEndsAtStop(t *testing.T) {
	const socket, file = 5, 6
	for _, test := range []struct {
		name   string
		arch   task.Arch
		number int
		args   [6]uint64
		want   bool
	}{
		{"read of a socket", task.AMD64, 0, [6]uint64{socket}, true},
		{"read of a file", task.AMD64, 0, [6]uint64{file}, false},
		{"upper half of a descriptor", task.AMD64, 0, [6]uint64{1<<32 | socket}, true},
		{"splice from a socket", task.AMD64, 275, [6]uint64{socket, 0, file}, true},
		{"splice to a socket", task.AMD64, 275, [6]uint64{file, 0, socket}, true},
		{"splice of files", task.AMD64, 275, [6]uint64{file, socket, file}, false},
		{"epoll_wait of whatever", task.AMD64, 232, [6]uint64{file}, true},
		{"openat", task.AMD64, 257, [6]uint64{socket}, false},
		{"i386 ipc: SEMOP", task.I386, 117, [6]uint64{1}, true},
		{"i386 ipc: SEMTIMEDOP of a version", task.I386, 117, [6]uint64{1<<16 | 4}, true},
		{"i386 ipc: MSGRCV", task.I386, 117, [6]uint64{12}, false},
		{"i386 socketcall", task.I386, 102, [6]uint64{10}, true},
		{"i386 restart_syscall", task.I386, 0, [6]uint64{socket}, false},
		{"arm64 io_setup", task.ARM64, 0, [6]uint64{socket}, false},
		{"arm64 read", task.ARM64, 63, [6]uint64{socket}, true},
		{"arm recv", task.ARM, 291, [6]uint64{socket}, true},
		{"arm sigpending, arm64's read is elsewhere", task.ARM, 73, [6]uint64{socket}, false},
	} {
		isSocket := func(fd int) bool { return fd == socket }
		if got := endsAtStop(test.arch, &task.Syscall{State: task.InCall, Number: test.number, Args: test.args}, isSocket); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
