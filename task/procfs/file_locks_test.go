//go:build linux

package procfs

import (
	"strings"
	"testing"
)

func TestLockHolder(t *testing.T) {
	const locks = "1: FLOCK  ADVISORY  WRITE 13477 fe:00:9977891 0 EOF\n" +
		"1: -> FLOCK  ADVISORY  WRITE 13498 fe:00:9977891 0 EOF\n" +
		"2: POSIX  ADVISORY  READ 7 fe:00:5 0 EOF\n3: POSIX  ADVISORY  READ 8 fe:00:5 0 EOF\n" +
		"4: OFDLCK ADVISORY  WRITE -1 fe:00:6 0 EOF\n" +
		"5: POSIX  ADVISORY  WRITE 21 fe:00:7 0 9\n5: -> POSIX  ADVISORY  WRITE 30 fe:00:7 0 EOF\n" +
		"6: POSIX  ADVISORY  WRITE 22 fe:00:7 10 19\n6: -> POSIX  ADVISORY  WRITE 31 fe:00:7 15 EOF\n6:  -> POSIX  ADVISORY  WRITE 32 fe:00:7 16 16\n" +
		"7: POSIX  ADVISORY  WRITE 23 fe:00:8 0 9\n7: -> POSIX  ADVISORY  WRITE 30 fe:00:8 0 0\n" +
		"8: POSIX  ADVISORY  WRITE 24 fe:00:8 10 19\n8: -> POSIX  ADVISORY  WRITE 30 fe:00:8 10 10\n" +
		"9: FLOCK  ADVISORY  WRITE 0 fe:00:9 0 EOF\n"
	for _, c := range []struct {
		inode  uint64
		waiter int
		want   int // 0: no answer
	}{
		{9977891, 13498, 13477}, {9977891, 1, 13477}, // whoever waits: there is one
		{5, 1, 0}, {6, 1, -1}, {1, 1, 0}, {9, 1, 0},
		{7, 30, 21}, {7, 31, 22}, {7, 32, 22}, {7, 1, 0}, // each for that in its way
		{8, 30, 0}, // two threads of it for two
	} {
		if pid, ok := lockHolder([]byte(locks), lockedFile{0xfe, 0, c.inode}, c.waiter); ok != (c.want != 0) || ok && pid != c.want {
			t.Errorf("inode %d, waiter %d: %d, %v, want %d", c.inode, c.waiter, pid, ok, c.want)
		}
	}
}

func TestLockOfADescriptor(t *testing.T) {
	const info = "pos:\t0\nflags:\t0100002\nmnt_id:\t29\nino:\t11691\nlock:\t1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF\n"
	file := lockedFile{0, 0x13, 11691}
	if !infoHasLock([]byte(info), file) {
		t.Error("not found")
	}
	if !infoHasLock([]byte(strings.Replace(info, "FLOCK  ADVISORY  WRITE 359", "OFDLCK ADVISORY  WRITE -1", 1)), file) {
		t.Error("that of no process is not found")
	}
	if infoHasLock([]byte(info), lockedFile{0, 0x13, 11692}) || infoHasLock([]byte(strings.Replace(info, "lock:", "lack:", 1)), file) {
		t.Error("found another's")
	}
}
