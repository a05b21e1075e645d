//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"strconv"
	"time"

	"stacksnap/task"
)

var errSyscallFile = errors.New("not a syscall file of /proc")

// ParseSyscall parses /proc/PID/task/TID/syscall (proc_pid_syscall, fs/proc/base.c), which is
// one of
//
//	running
//	-1 0xSP 0xPC
//	NUMBER 0xARG 0xARG 0xARG 0xARG 0xARG 0xARG 0xSP 0xPC
func ParseSyscall(b []byte) (task.Syscall, error) {
	var words [9][]byte
	n := 0
	for w := range bytes.FieldsSeq(b) {
		if n == len(words) {
			return task.Syscall{}, errSyscallFile
		}
		words[n] = w
		n++
	}
	if n == 1 && string(words[0]) == "running" {
		return task.Syscall{State: task.OnProcessor}, nil
	}
	if n != 3 && n != len(words) {
		return task.Syscall{}, errSyscallFile
	}
	return callOf(words[0], words[1:n])
}

func callOf(number []byte, rest [][]byte) (task.Syscall, error) {
	nr, err := strconv.ParseInt(string(number), 10, 32)
	if err != nil {
		return task.Syscall{}, errSyscallFile
	}
	var values [8]uint64
	for i, w := range rest {
		hex, ok := bytes.CutPrefix(w, []byte("0x"))
		v, err := strconv.ParseUint(string(hex), 16, 64)
		if !ok || err != nil {
			return task.Syscall{}, errSyscallFile
		}
		values[i] = v
	}
	if len(rest) == 2 {
		return task.Syscall{State: task.InFault, Number: -1, SP: task.Addr(values[0]), PC: task.Addr(values[1])}, nil
	}
	c := task.Syscall{State: task.InCall, Number: int(nr), SP: task.Addr(values[6]), PC: task.Addr(values[7])}
	copy(c.Args[:], values[:6])
	return c, nil
}

// schedule parses a schedstat file: the times, in nanoseconds, that a thread has run and has
// waited for a processor (proc_pid_schedstat, fs/proc/base.c).
func schedule(b []byte) (ran, queued time.Duration) {
	var times [2]time.Duration
	n := 0
	for w := range bytes.FieldsSeq(b) {
		if n == len(times) {
			break
		}
		v, _ := number(w, 10)
		times[n] = nanoseconds(v)
		n++
	}
	return times[0], times[1]
}

// nanoseconds converts n, limited to 1<<62: no thread can have run that long.
func nanoseconds(n uint64) time.Duration { return time.Duration(min(n, 1<<62)) }
