//go:build linux

package procfs

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"stacksnap/task"
	"stacksnap/task/users"
)

// statusValue returns what follows a key such as "TracerPid:" in
// /proc/PID/status, without the space around it; nil when the key is not there.
func statusValue(status []byte, key string) []byte {
	for line := range bytes.Lines(status) {
		if v, ok := bytes.CutPrefix(line, []byte(key)); ok {
			return bytes.TrimSpace(v)
		}
	}
	return nil
}

// statusNumber returns the first number of a value in /proc/PID/status, 0 when
// there is none.
func statusNumber(status []byte, key string) int {
	v, _ := number(statusValue(status, key), 10)
	if v > 1<<31 {
		return 0
	}
	return int(v)
}

// realUser is the first of the user ids in /proc/PID/status, −1 where there is
// none.
func realUser(status []byte) int {
	v, n := number(statusValue(status, "Uid:"), 10)
	if n == 0 || v > math.MaxUint32 {
		return -1
	}
	return int(v)
}

// lastNumber returns the last of numbers with space between, 0 when there is
// none.
func lastNumber(b []byte) int {
	f := bytes.Fields(b)
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(f[len(f)-1]))
	return n
}

// footprint is VmRSS and VmHWM of /proc/PID/status.
func footprint(status []byte) task.Footprint {
	const kilo = 1 << 10
	return task.Footprint{
		Now:  uint64(statusNumber(status, "VmRSS:")) * kilo,
		Peak: uint64(statusNumber(status, "VmHWM:")) * kilo,
	}
}

// nobody is the number that no user has ((uid_t)-1).
const nobody = ^uint32(0)

// effectiveUser is the second of the user ids in /proc/PID/status; nobody where it is
// not told.
func effectiveUser(status []byte) uint32 {
	words := bytes.Fields(statusValue(status, "Uid:"))
	if len(words) < 2 {
		return nobody
	}
	n, err := strconv.ParseUint(string(words[1]), 10, 32)
	if err != nil {
		return nobody
	}
	return uint32(n)
}

// overflowUser stands for every user that our user namespace has no number for
// (/proc/sys/kernel/overflowuid).
const overflowUser = 65534

// user is by whose rights the process runs. Its name is asked for only where the
// process sees the files that we see, and so has the number from the same list.
func (d Dir) user(status []byte) *task.User {
	id := effectiveUser(status)
	if id == nobody || id == overflowUser && !d.shares("ns/user") {
		return nil
	}
	u := &task.User{ID: id}
	if d.sharesMounts() {
		u.Name, _ = users.Name(u.ID)
	}
	return u
}

// sharesMounts reports whether the process has our mount namespace. Where its namespaces may
// not be read, the first line of mountinfo is compared. Everybody may read that, and the ids
// of mounts in it are unique on the system (proc_pid_mountinfo(5)).
func (d Dir) sharesMounts() bool {
	if _, err := d.readlink("ns/mnt"); err == nil {
		return d.shares("ns/mnt")
	}
	theirs, err := d.read("mountinfo")
	ours, ownErr := os.ReadFile("/proc/self/mountinfo")
	if err != nil || ownErr != nil {
		return false
	}
	first, _, ok := bytes.Cut(theirs, []byte("\n"))
	return ok && bytes.HasPrefix(ours, append(first, '\n'))
}

// shares reports whether a namespace is ours, too.
func (d Dir) shares(namespace string) bool {
	theirs, err := d.readlink(namespace)
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/" + namespace)
	return err == nil && ours == theirs
}
