//go:build linux

package procfs

import (
	"fmt"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs/sockdiag"
	"stacksnap/task/procfs/sockets"
)

// Connections implements [task.Capabilities].Connections. It returns none if the kernel's tables
// of sockets cannot be read in time.
func (p *Process) Connections(until time.Time) []task.Connection {
	mine := p.socketInodes()
	if len(mine) == 0 {
		return nil
	}
	c, err := p.openDiag()
	if err != nil {
		return nil
	}
	defer c.Close()
	local, unixErr := c.Unix(until)
	tcp, tcpErr := c.TCP(until)
	if unixErr != nil && tcpErr != nil {
		return nil
	}
	return sockdiag.Stalled(mine, tcp, local)
}

// socketInodes returns the inodes of the sockets that the target has open.
func (p *Process) socketInodes() map[uint32]bool {
	mine := map[uint32]bool{}
	links, _ := p.descriptorLinks()
	for _, link := range links {
		if inode, ok := sockets.Inode(link); ok {
			if n, err := strconv.ParseUint(inode, 10, 32); err == nil {
				mine[uint32(n)] = true
			}
		}
	}
	return mine
}

// maxDescriptors bounds the descriptors whose links are read.
const maxDescriptors = 1 << 16

// descriptorLinks returns the links of the target's descriptors in /proc. all is true if none is
// missing.
func (p *Process) descriptorLinks() (links []string, all bool) {
	dir, err := openDirAt(p.live.fd, "fd")
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	fds := dir.Numbers()
	for _, fd := range fds[:min(len(fds), maxDescriptors)] {
		if link, err := dir.readlink(strconv.Itoa(fd)); err == nil {
			links = append(links, link)
		}
	}
	return links, len(fds) <= maxDescriptors
}

// openDiag opens a netlink socket in the target's network namespace. If that is not ours, we
// need permission to enter it.
func (p *Process) openDiag() (sockdiag.Conn, error) {
	if p.live.shares("ns/net") {
		return sockdiag.Open()
	}
	theirs, err := p.live.open("ns/net")
	if err != nil {
		return sockdiag.Conn{}, fmt.Errorf("network namespace: %w", err)
	}
	defer closeFD(theirs)
	return openWithin(theirs)
}

// openWithin opens a netlink socket in another network namespace: a socket belongs to the
// namespace of the thread that creates it. If the thread cannot return to ours, it ends with its
// goroutine.
func openWithin(namespace int) (c sockdiag.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		var returned bool
		if c, returned, err = openAndReturn(namespace); returned {
			runtime.UnlockOSThread()
		}
	}()
	<-done
	return c, err
}

// openAndReturn enters a network namespace, opens a netlink socket and leaves the namespace
// again. returned reports whether the thread is back in ours.
func openAndReturn(namespace int) (c sockdiag.Conn, returned bool, err error) {
	ours, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return c, true, fmt.Errorf("network namespace: %w", err)
	}
	defer closeFD(ours)
	if err := unix.Setns(namespace, unix.CLONE_NEWNET); err != nil {
		return c, true, fmt.Errorf("network namespace: %w", err)
	}
	c, err = sockdiag.Open()
	return c, unix.Setns(ours, unix.CLONE_NEWNET) == nil, err
}
