//go:build linux

package e2e

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// procmapQuery is PROCMAP_QUERY, by its low 32 bits (include/uapi/linux/fs.h).
const procmapQuery = 0xc0686611

// refuseQuery makes the system look to the calling test like one that is older
// than Linux 6.11: PROCMAP_QUERY fails with ENOTTY. It holds for the operating
// system thread, which ends with the test.
func refuseQuery(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	const number, argument = 0, 16 + 8 // in struct seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_IOCTL},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: argument},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: procmapQuery},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTTY)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal("prctl: ", err)
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		needs.Feature(t, "seccomp", err, unix.EINVAL, unix.ENOSYS)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, procmapQuery, 0); errno != unix.ENOTTY {
		needs.Skip(t, "seccomp", fmt.Sprint("the query is not refused: ", errno))
	}
}
