//go:build linux

package procfs

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stacksnap/task/mounts"
)

// holdsFUSE reports whether a descriptor of the target's may be a file on FUSE: one
// whose mount has that type, or is in nobody's table, as after umount -l.
func (p *Process) holdsFUSE() bool {
	dir, err := openDirAt(p.live.fd, "fd")
	if err != nil {
		return true
	}
	defer dir.Close()
	others := p.mountsBesideFUSE()
	return slices.ContainsFunc(dir.Numbers(), func(fd int) bool {
		link, err := dir.readlink(strconv.Itoa(fd))
		return err == nil && strings.HasPrefix(link, "/") && !slices.Contains(others, p.live.mountOf(fd))
	})
}

// mountsBesideFUSE lists the IDs of mounts that are known not to be of FUSE: of the
// target's table, of this program's, for the target may have inherited a file from
// outside of its root, and the kernel's own mount of memfds and shared memory.
func (p *Process) mountsBesideFUSE() (ids []int) {
	self, err := OpenDir("/proc/self")
	if err != nil {
		return nil
	}
	defer self.Close()
	for _, proc := range []Dir{p.live, self} {
		text, _ := proc.read("mountinfo") // without it no mount is known
		for _, m := range mounts.Parse(text) {
			if !strings.HasPrefix(m.Type, "fuse") {
				ids = append(ids, m.ID)
			}
		}
	}
	if memory, err := unix.MemfdCreate("stacksnap", unix.MFD_CLOEXEC); err == nil {
		defer closeFD(memory)
		ids = append(ids, self.mountOf(memory))
	}
	return ids
}

// mountOf returns the ID of the mount that a descriptor's file is on; 0: not known. It is
// in the table as the first field of a line (proc_pid_fdinfo(5), mnt_id).
func (d Dir) mountOf(fd int) int {
	info, err := d.read("fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return 0
	}
	return statusNumber(info, "mnt_id:")
}
