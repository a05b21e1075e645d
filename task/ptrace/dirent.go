package ptrace

import "encoding/binary"

// The layout of struct linux_dirent64 (include/linux/dirent.h).
const (
	direntLen  = 16 // u16: the length of the whole entry
	direntName = 19
)

// nextThread takes the next thread id from directory entries of
// /proc/PID/task. It skips what is no number, allocates nothing, and returns 0
// at the end.
func nextThread(b []byte) (tid int, rest []byte) {
	for n, rest := nextNumber(b); n >= 0; n, rest = nextNumber(rest) {
		if n > 0 {
			return n, rest
		}
	}
	return 0, nil
}

// nextNumber is nextThread where 0 is a name as well, as of descriptors; −1 at the end.
func nextNumber(b []byte) (n int, rest []byte) {
	for len(b) > direntName {
		n := int(binary.LittleEndian.Uint16(b[direntLen:]))
		if n <= direntName || n > len(b) {
			break
		}
		v, digits := number(b[direntName:n], 10)
		b = b[n:]
		if digits > 0 && v <= 1<<30 {
			return int(v), b
		}
	}
	return -1, nil
}
