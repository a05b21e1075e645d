//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stacksnap/task"
	"stacksnap/task/procfs/sockdiag"
	"stacksnap/task/procfs/sockets"
)

// Syscall implements [task.WaitReader].
func (p *Process) Syscall(id task.ThreadID) (task.Syscall, error) {
	call, err := p.Files.Call(int(id))
	switch {
	case err == nil:
		return call, nil
	case !p.Files.isThere(int(id)):
		return task.Syscall{}, task.ErrThreadGone
	}
	return task.Syscall{}, fmt.Errorf("thread %d: %w", id, err)
}

// WaitChannel implements [task.WaitReader].
func (p *Process) WaitChannel(id task.ThreadID) string {
	b, err := p.Files.Dir.read(strconv.Itoa(int(id)) + "/wchan")
	if err != nil || string(b) == "0" {
		return ""
	}
	return string(b)
}

// OpenFile implements [task.Capabilities].OpenFile.
func (p *Process) OpenFile(fd int) string {
	link, err := p.live.readlink("fd/" + strconv.Itoa(fd))
	if err != nil {
		return ""
	}
	inode, ok := sockets.Inode(link)
	if !ok {
		return link
	}
	for _, table := range sockets.Tables {
		b, err := p.live.read("net/" + table.Name)
		if err != nil {
			continue
		}
		if name, ok := table.Find(b, inode); ok {
			return p.withPeer(name, inode, b)
		}
	}
	return link
}

// withPeer returns the name of a socket. For a Unix socket without a name it returns the peer's,
// from the table of Unix sockets.
func (p *Process) withPeer(name, inode string, table []byte) string {
	n, err := strconv.ParseUint(inode, 10, 32)
	if err != nil || name != sockets.Unnamed(inode) || !p.live.shares("ns/net") {
		return name
	}
	peer, ok := sockdiag.UnixPeer(uint32(n))
	if !ok {
		return name
	}
	other := strconv.FormatUint(uint64(peer), 10)
	of, ok := sockets.Unix.Find(table, other)
	path, isNamed := strings.CutPrefix(of, "unix socket ")
	if !ok || !isNamed {
		return name
	}
	return "unix socket to " + path
}

// Watched implements [task.WaitReader].
//
// The kernel builds the list for each reading while it holds the instance's mutex, so processes
// that may have long lists are not read. Nor are processes with a file on FUSE: a thread that
// adds such a file holds the mutex until the server has answered FUSE_POLL (ep_insert,
// fs/eventpoll.c; fuse_file_poll, fs/fuse/file.c), and a reader that waits for the mutex can't
// be killed.
func (p *Process) Watched(fd int) (n int, fds []int) {
	status, err := p.live.read("status")
	if err != nil || statusNumber(status, "FDSize:") > maxListed || p.holdsFUSE() {
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

// isOpen reports whether the descriptor still refers to the file that an epoll instance watches.
func (p *Process) isOpen(w watchedFile) bool {
	st, ok := p.statFile(w.fd)
	return ok && st.Ino == w.inode
}

// LocalThread implements [task.WaitReader]. The last number of NSpid is the id in the thread's
// own namespace.
func (p *Process) LocalThread(n int) (task.ThreadID, bool) {
	for _, tid := range p.Files.Dir.Numbers() {
		status, err := p.Files.Dir.read(strconv.Itoa(tid) + "/status")
		if err == nil && lastNumber(statusValue(status, "NSpid:")) == n {
			return task.ThreadID(tid), true
		}
	}
	return 0, false
}

// IsSocket reports whether a descriptor of the target is a socket.
func (p *Process) IsSocket(fd int) bool {
	link, err := p.live.readlink("fd/" + strconv.Itoa(fd))
	if err != nil {
		return false
	}
	_, is := sockets.Inode(link)
	return is
}

// watchedFile is a file that an epoll instance watches.
type watchedFile struct {
	fd    int // the descriptor under which it was added
	inode uint64
}

// watched reads the files that an epoll instance watches from its fdinfo file, lowest descriptor
// first. Each has a line (ep_show_fdinfo, fs/eventpoll.c)
//
//	tfd: FD events: MASK data: HEX pos:OFFSET ino:HEX sdev:HEX
func watched(fdinfo []byte) (all []watchedFile) {
	for line := range bytes.Lines(fdinfo) {
		f := bytes.Fields(line)
		if len(f) < 8 || string(f[0]) != "tfd:" {
			continue
		}
		n, err := strconv.Atoi(string(f[1]))
		hex, ok := bytes.CutPrefix(f[7], []byte("ino:"))
		inode, inodeErr := strconv.ParseUint(string(hex), 16, 64)
		if err == nil && ok && inodeErr == nil {
			all = append(all, watchedFile{n, inode})
		}
	}
	slices.SortFunc(all, func(a, b watchedFile) int { return a.fd - b.fd })
	return all
}
