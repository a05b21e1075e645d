//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"strconv"

	"stacksnap/task"
)

var (
	_ task.SyscallReader = (*Process)(nil)
	_ task.ChannelReader = (*Process)(nil)
)

// Syscall implements [task.SyscallReader].
func (p *Process) Syscall(id task.ThreadID) (task.Syscall, error) {
	call, err := p.blockedIn(int(id))
	switch {
	case err == nil:
		return call, nil
	case p.state(int(id)) == 0:
		return task.Syscall{}, task.ErrThreadGone
	}
	return task.Syscall{}, fmt.Errorf("thread %d: %w", id, err)
}

// Channel implements [task.ChannelReader].
func (p *Process) Channel(id task.ThreadID) string {
	b, err := procDir{p.threads.dir}.read(strconv.Itoa(int(id)) + "/wchan")
	if err != nil || string(b) == "0" {
		return ""
	}
	return string(b)
}

// OpenFile implements [task.SyscallReader].
func (p *Process) OpenFile(fd int) string {
	link, err := p.live.readlink("fd/" + strconv.Itoa(fd))
	if err != nil {
		return ""
	}
	inode, ok := socketInode(link)
	if !ok {
		return link
	}
	for _, table := range socketTables {
		b, err := p.live.read("net/" + table.name)
		if err != nil {
			continue
		}
		if name, ok := table.find(b, inode); ok {
			return name
		}
	}
	return link
}

// Watched implements [task.SyscallReader].
//
// The kernel makes the list anew for each reading while it holds a lock of the
// instance's, so a process that may have long ones is not asked.
func (p *Process) Watched(fd int) (n int, fds []int) {
	status, err := p.live.read("status")
	if err != nil || statusNumber(status, "FDSize:") > maxListed {
		return 0, nil
	}
	b, err := p.live.read("fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return 0, nil
	}
	all := watched(b)
	for _, w := range all {
		if len(fds) < maxWatched && p.isOpen(w) {
			fds = append(fds, w.fd)
		}
	}
	return len(all), fds
}

const (
	maxListed  = 4096 // descriptors
	maxWatched = 16
)

// isOpen tells whether a descriptor is the file that an epoll instance watches.
func (p *Process) isOpen(w watchedFile) bool {
	st, ok := p.statFile(w.fd)
	return ok && st.Ino == w.inode
}

// LocalThread implements [task.SyscallReader]. The last number of NSpid is that
// of the namespace the thread itself is in.
func (p *Process) LocalThread(n int) (task.ThreadID, bool) {
	dir := procDir{p.threads.dir}
	for i := range p.threads.all {
		tid := p.threads.all[i].tid
		status, err := dir.read(strconv.Itoa(tid) + "/status")
		if err == nil && lastNumber(statusValue(status, "NSpid:")) == n {
			return task.ThreadID(tid), true
		}
	}
	return 0, false
}
