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

// maxSockets bounds the descriptors that are asked whether they are sockets.
const maxSockets = 1 << 16

// Connections is that of [task.Capabilities]. It returns none where the tables of sockets can't be
// read by then.
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
	dir, err := openDirAt(p.live.fd, "fd")
	if err != nil {
		return nil
	}
	defer dir.Close()
	mine := map[uint32]bool{}
	fds := dir.Numbers()
	for _, fd := range fds[:min(len(fds), maxSockets)] {
		link, err := dir.readlink(strconv.Itoa(fd))
		if err != nil {
			continue
		}
		if inode, ok := sockets.Inode(link); ok {
			if n, err := strconv.ParseUint(inode, 10, 32); err == nil {
				mine[uint32(n)] = true
			}
		}
	}
	return mine
}

// openDiag opens what lists the sockets of the target's network namespace. For another one than ours
// that needs the right to enter it.
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

// openWithin opens what lists the sockets of a network namespace, to which a netlink socket belongs
// that was made by a thread in it. A thread that can't return to ours ends with its goroutine.
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

// openAndReturn enters a network namespace and leaves it again. It reports whether the thread is in
// ours afterwards.
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
