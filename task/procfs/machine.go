//go:build linux

package procfs

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// HostArch returns the kernel's architecture, unknown where live processes are not read.
func HostArch() task.Arch {
	switch runtime.GOARCH {
	case "amd64":
		return task.AMD64
	case "arm64":
		return task.ARM64
	}
	return task.UnknownArch
}

// The files with the maker's name for this computer, and with the processors in use.
var modelFiles = [...]string{"/sys/devices/virtual/dmi/id/product_name", "/proc/device-tree/model"}

const (
	onlineFile  = "/sys/devices/system/cpu/online"
	presentFile = "/sys/devices/system/cpu/present"
)

// machine reads what the system reports about itself.
func machine() task.Machine {
	var m task.Machine
	for _, file := range modelFiles {
		if b, err := os.ReadFile(file); err == nil && m.Model == "" {
			m.Model = strings.Trim(string(b), "\x00 \n")
		}
	}
	if b, err := os.ReadFile(presentFile); err == nil {
		m.CPUs = cpusListed(string(b))
	}
	if b, err := os.ReadFile(onlineFile); err == nil {
		m.Active = cpusListed(string(b))
	}
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) == nil {
		m.Memory = uint64(s.Totalram) * uint64(s.Unit)
	}
	return m
}

// cpusListed counts the processors in a list such as "0-3,8\n" (cpulist_parse,
// lib/bitmap-str.c). It returns 0 if the text is no such list.
func cpusListed(list string) int {
	const most = 1 << 20
	n := 0
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, lastErr := strconv.Atoi(last)
		if err != nil || lastErr != nil || from < 0 || to < from || to-from >= most {
			return 0
		}
		n += to - from + 1
	}
	return n
}
