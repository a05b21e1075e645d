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

// statusValue returns the text after a key such as "TracerPid:" in /proc/PID/status, without
// surrounding space; nil when there is no such key.
func statusValue(status []byte, key string) []byte {
	for line := range bytes.Lines(status) {
		if v, ok := bytes.CutPrefix(line, []byte(key)); ok {
			return bytes.TrimSpace(v)
		}
	}
	return nil
}

// statusNumber returns the first number of a value in /proc/PID/status, 0 when there is none.
func statusNumber(status []byte, key string) int {
	v, _ := number(statusValue(status, key), 10)
	if v > 1<<31 {
		return 0
	}
	return int(v)
}

// realUser returns the first of the user ids in /proc/PID/status, −1 when there is none.
func realUser(status []byte) int {
	v, n := number(statusValue(status, "Uid:"), 10)
	if n == 0 || v > math.MaxUint32 {
		return -1
	}
	return int(v)
}

// lastNumber returns the last of several numbers separated by space, 0 when there is none.
func lastNumber(b []byte) int {
	f := bytes.Fields(b)
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(f[len(f)-1]))
	return n
}

// footprint returns VmRSS and VmHWM of /proc/PID/status.
func footprint(status []byte) task.Footprint {
	const kilo = 1 << 10
	return task.Footprint{
		Now:  uint64(statusNumber(status, "VmRSS:")) * kilo,
		Peak: uint64(statusNumber(status, "VmHWM:")) * kilo,
	}
}

// nobody is the id that no user has ((uid_t)-1).
const nobody = ^uint32(0)

// effectiveUser returns the second of the user ids in /proc/PID/status, nobody when there is
// none.
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

// overflowUser represents every user that has no id in our user namespace
// (/proc/sys/kernel/overflowuid).
const overflowUser = 65534

// user returns the user whose rights the process has. The name is looked up only if the process
// sees the same files as we do, and so has its id from the same list.
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

// sharesMounts reports whether the process has our mount namespace. If its namespaces may not be
// read, the first line of mountinfo is compared: everybody may read it, and the mount ids in it
// are unique on the system (proc_pid_mountinfo(5)).
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

// shares reports whether the process has the same namespace as we do.
func (d Dir) shares(namespace string) bool {
	theirs, err := d.readlink(namespace)
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/" + namespace)
	return err == nil && ours == theirs
}
