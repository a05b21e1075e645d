//go:build linux

package procfs

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stacksnap/task/mounts"
)

// holdsFUSE reports whether any descriptor of the target may be a file on FUSE. That is a file
// whose mount has that type, or whose mount is in no table, as after umount -l.
func (p *Process) holdsFUSE() bool {
	dir, err := openDirAt(p.live.fd, "fd")
	if err != nil {
		return true
	}
	defer dir.Close()
	others := p.mountsBesideFUSE()
	return slices.ContainsFunc(dir.Numbers(), func(fd int) bool {
		link, err := dir.readlink(strconv.Itoa(fd))
		if err != nil || !strings.HasPrefix(link, "/") {
			return false
		}
		id, err := p.live.mountOf(fd)
		return err == nil && !slices.Contains(others, id) // with an error it has been closed
	})
}

// mountsBesideFUSE lists the IDs of the mounts that are known not to be FUSE: those in the
// target's table; those in this program's table, because the target may have inherited a file
// from outside its root; and the kernel's own mount of memfds and shared memory.
func (p *Process) mountsBesideFUSE() (ids []int) {
	self, err := OpenDir("/proc/self")
	if err != nil {
		return nil
	}
	defer self.Close()
	for _, proc := range []Dir{p.live, self} {
		text, _ := proc.read("mountinfo") // with an error no mount is known
		for _, m := range mounts.Parse(text) {
			if !strings.HasPrefix(m.Type, "fuse") {
				ids = append(ids, m.ID)
			}
		}
	}
	if memory, err := unix.MemfdCreate("stacksnap", unix.MFD_CLOEXEC); err == nil {
		defer closeFD(memory)
		if id, err := self.mountOf(memory); err == nil && id != unknownMount {
			ids = append(ids, id)
		}
	}
	return ids
}

// unknownMount is used where the kernel reports no mount ID. IDs begin with 0.
const unknownMount = -1

// mountOf returns the ID of the mount that a descriptor's file is on (proc_pid_fdinfo(5),
// mnt_id). It is the first field of a line of the mount table.
func (d Dir) mountOf(fd int) (int, error) {
	info, err := d.read("fdinfo/" + strconv.Itoa(fd))
	if err != nil || statusValue(info, "mnt_id:") == nil {
		return unknownMount, err
	}
	return statusNumber(info, "mnt_id:"), nil
}
