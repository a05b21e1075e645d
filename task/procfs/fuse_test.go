//go:build linux

package procfs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task/needs"
)

// TestHoldsFUSE: a file is known by the type of its mount, and one on a mount in no table
// may be of FUSE.
func TestHoldsFUSE(t *testing.T) {
	const table = "1000001 1 0:9 / / rw - ext4 /dev/vda rw\n1000002 1 0:8 / /m rw - fuse.sshfs x rw\n"
	for _, test := range []struct {
		name, link string
		mount      int
		want       bool
	}{
		{"on a disk", "/file", 1000001, false}, {"on FUSE", "/m/file", 1000002, true},
		{"on a mount that was taken away", "/file", 1000003, true}, {"a socket", "socket:[1]", 1000003, false},
		{"on a mount that the kernel does not report", "/file", -1, true},
	} {
		dir := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(dir, "fd"), 0o755))
		must(t, os.Mkdir(filepath.Join(dir, "fdinfo"), 0o755))
		must(t, os.Symlink(test.link, filepath.Join(dir, "fd/5")))
		info := "pos:\t0\nflags:\t02\n"
		if test.mount >= 0 {
			info += fmt.Sprintf("mnt_id:\t%d\n", test.mount)
		}
		writeFile(t, filepath.Join(dir, "fdinfo/5"), info)
		writeFile(t, filepath.Join(dir, "mountinfo"), table)
		p := &Process{live: Dir{fd: openPath(t, dir)}}
		if got := p.holdsFUSE(); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestMemoryIsNotOnFUSE: what every process may hold, on mounts that no table has.
func TestMemoryIsNotOnFUSE(t *testing.T) {
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	needs.Feature(t, "memfd_create", err, unix.ENOSYS)
	defer closeFD(fd)
	self, err := OpenDir("/proc/self")
	must(t, err)
	defer self.Close()
	if (&Process{live: self}).holdsFUSE() {
		t.Error("this process is said to have a file on FUSE")
	}
}
