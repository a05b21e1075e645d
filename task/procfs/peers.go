//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/procfs/sockdiag"
	"stacksnap/task/procfs/sockets"
)

// OtherEnd implements [task.PeerFinder] for pipes, including named ones, and for Unix and TCP
// sockets that are connected to another socket of this system.
func (p *Process) OtherEnd(fd int, writes bool) (task.Endpoint, bool) {
	link, err := p.live.readlink("fd/" + strconv.Itoa(fd))
	if err != nil {
		return task.Endpoint{}, false
	}
	if strings.HasPrefix(link, "pipe:[") {
		return task.Endpoint{File: link, Writes: !writes}, true
	}
	if fifo := fifoAt(p.live, "fd/"+strconv.Itoa(fd)); fifo != "" {
		return task.Endpoint{File: fifo, Writes: !writes}, true
	}
	inode, ok := sockets.Inode(link)
	if !ok {
		return task.Endpoint{}, false
	}
	n, err := strconv.ParseUint(inode, 10, 32)
	if err == nil && p.live.shares("ns/net") {
		if peer, ok := sockdiag.UnixPeer(uint32(n)); ok {
			return task.Endpoint{File: fmt.Sprintf("socket:[%d]", peer)}, true
		}
	}
	peer, ok := p.tcpPeer(inode)
	return task.Endpoint{File: "socket:[" + peer + "]"}, ok
}

// Child implements [task.PeerFinder].
func (p *Process) Child(n int) (pid int, ok bool) {
	all, err := PIDs()
	if err != nil || !p.live.shares("ns/pid") {
		return 0, false
	}
	if n > 0 {
		return n, p.isChild(n) == livingChild
	}
	for _, id := range all {
		switch p.isChild(id) {
		case notChild:
		case endedChild:
			return 0, false // the target is about to wait for it
		case livingChild:
			if ok {
				return 0, false
			}
			pid, ok = id, true
		}
	}
	return pid, ok
}

// kinship is how a process is related to the target.
type kinship uint8

const (
	notChild kinship = iota
	endedChild
	livingChild
)

func (p *Process) isChild(pid int) kinship {
	dir, err := OpenDir("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return notChild
	}
	defer dir.Close()
	s, ok := dir.stat()
	switch {
	case !ok || s.parent != p.PID:
		return notChild
	case threadState(s.state) == task.Ended:
		return endedChild
	}
	return livingChild
}

// SharedOwner implements [task.PeerFinder].
func (p *Process) SharedOwner(a task.Addr, n int) (task.ThreadID, int, bool) {
	mine, ok := p.sharedAt(a)
	if !ok || !p.live.shares("ns/pid") {
		return 0, 0, false
	}
	dir, err := OpenDir("/proc/" + strconv.Itoa(n))
	if err != nil {
		return 0, 0, false
	}
	defer dir.Close()
	status, err := dir.read("status")
	s, alive := dir.stat()
	pid := statusNumber(status, "Tgid:")
	if err != nil || !alive || threadState(s.state) == task.Ended || pid == 0 || pid == p.PID {
		return 0, 0, false
	}
	maps, err := dir.read("maps")
	if err != nil || !mapsShared(maps, mine) {
		return 0, 0, false
	}
	return task.ThreadID(n), pid, true
}

// Outsider implements [task.Capabilities].Outsider.
func (p *Process) Outsider(n int, at task.Addr) task.Outsider {
	if !p.live.shares("ns/pid") || !p.isPrivate(at) {
		return task.Outsider{}
	}
	own, ok := p.dir.stat()
	if !ok {
		return task.Outsider{}
	}
	dir, err := OpenDir("/proc/" + strconv.Itoa(n))
	if err != nil {
		// /proc may hide the threads of other users (proc(5), hidepid), but not their priority.
		_, err := unix.Getpriority(unix.PRIO_PROCESS, n)
		return task.Outsider{Ended: err == unix.ESRCH}
	}
	defer dir.Close()
	status, err := dir.read("status")
	s, ok := dir.stat()
	if err != nil || !ok {
		return task.Outsider{}
	}
	return own.outsider(&s, p.PID, statusNumber(status, "Tgid:"), processName)
}

// outsider returns what is certain about a thread, given its number and the stat of its process.
// If it began after the target, the number has been reused and the former thread has ended,
// unless its process is a child of the target, which may have the same memory (vfork).
func (target *Stat) outsider(s *Stat, pid, process int, name func(pid int) string) task.Outsider {
	switch {
	case process == 0 || process == pid || threadState(s.state) == task.Ended:
		return task.Outsider{}
	case s.start > target.start:
		return task.Outsider{Ended: s.parent != pid}
	case process == target.parent:
		return task.Outsider{Parent: process, ParentName: name(process)}
	}
	return task.Outsider{}
}

// isPrivate reports whether only the target has the memory at a.
func (p *Process) isPrivate(a task.Addr) bool {
	for r, err := range p.Regions() {
		if err == nil && r.Start <= a && a < r.End {
			return !r.Shared
		}
	}
	return false
}

// sharedPlace is a position in a file that is mapped.
type sharedPlace struct{ dev, inode, offset uint64 }

// sharedAt returns the position in a file that is mapped at a, if the mapping is shared.
func (p *Process) sharedAt(a task.Addr) (sharedPlace, bool) {
	for r, err := range p.Regions() {
		if err == nil && r.Start <= a && a < r.End {
			return sharedPlace{r.Dev, r.Inode, r.Offset + uint64(a-r.Start)}, r.Shared && r.Inode != 0
		}
	}
	return sharedPlace{}, false
}

// mapsShared reports whether a maps file has a shared mapping of that position.
func mapsShared(maps []byte, at sharedPlace) bool {
	for line := range bytes.Lines(maps) {
		r, err := parseRegion(bytes.TrimSuffix(line, []byte("\n")))
		if err == nil && r.Shared && r.Dev == at.dev && r.Inode == at.inode &&
			r.Offset <= at.offset && at.offset-r.Offset < uint64(r.End-r.Start) {
			return true
		}
	}
	return false
}

// tcpPeer finds the other end of a connection within the target's network namespace. It uses the
// tables as they were after the threads were last listed, because they may be long.
func (p *Process) tcpPeer(inode string) (peer string, ok bool) {
	if p.tcpPeers == nil {
		var tables [][]byte
		for _, name := range sockets.TCPTables {
			if b, err := p.live.read("net/" + name); err == nil { // an error may mean that there is no IPv6
				tables = append(tables, b)
			}
		}
		p.tcpPeers = sockets.TCPPeers(tables...)
	}
	peer, ok = p.tcpPeers[inode]
	return peer, ok
}
