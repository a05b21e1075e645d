//go:build linux

package sockdiag

import (
	"fmt"
	"net/netip"
	"time"

	"stacksnap/task"
)

// leastSilence is how long nothing must have moved on a TCP connection before it counts as
// stalled.
const leastSilence = time.Second

// Stalled returns the connections on which nothing moves of a process whose sockets have the
// inodes in mine. A connection that another process has opened to one of its listening sockets
// is included only if the process has not read what arrived.
func Stalled(mine map[uint32]bool, tcp []TCP, local []Unix) []task.Connection {
	return append(stalledTCP(mine, tcp), stalledUnix(mine, local)...)
}

// pair has the addresses of a TCP connection from the view of one of its sockets.
type pair struct{ local, remote netip.AddrPort }

func stalledTCP(mine map[uint32]bool, all []TCP) (found []task.Connection) {
	listeners := map[uint16]*TCP{}
	at := map[pair]*TCP{}
	for i := range all {
		if s := &all[i]; s.State == listening {
			listeners[s.Local.Port()] = s
		} else {
			at[pair{s.Local, s.Remote}] = s
		}
	}
	for i := range all {
		s := &all[i]
		if !mine[s.Inode] || s.State == listening {
			continue
		}
		c := task.Connection{ID: uint64(s.Inode), Remote: s.Remote.String()}
		other := at[pair{s.Remote, s.Local}]
		if other != nil {
			c.Other = fileOf(other.Inode)
		}
		if c.State = s.stateOf(listeners[s.Local.Port()] != nil, other, &c); c.State == task.NotAccepted {
			c.Other = task.Endpoint{}
			if l := listeners[s.Remote.Port()]; l != nil {
				c.Other = fileOf(l.Inode)
			}
		}
		if c.State != task.Moving {
			found = append(found, c)
		}
	}
	return found
}

// stateOf returns the state of a connection, and sets Since and Unread of c. other is nil if the
// other end is not in the same network namespace. accepted means that some socket listens at the
// local port.
func (s *TCP) stateOf(accepted bool, other *TCP, c *task.Connection) task.ConnectionState {
	c.Since = s.LastSent
	switch {
	case s.State == synSent:
		if c.Since = 0; s.Retries > 0 {
			return task.Connecting
		}
	case accepted || s.LastSent < leastSilence:
	case other != nil && other.Inode == 0:
		return task.NotAccepted
	case other != nil && other.Unread > 0:
		c.Unread = uint64(other.Unread)
		return task.NotTaken
	case s.Sent && (!s.Got || s.LastGot > s.LastSent) && s.Unread == 0:
		return task.Silent
	}
	if s.State == established && s.Unread > 0 && s.Got && s.LastGot >= leastSilence {
		c.Since, c.Unread = s.LastGot, uint64(s.Unread)
		return task.Unread
	}
	return task.Moving
}

func fileOf(inode uint32) task.Endpoint {
	if inode == 0 {
		return task.Endpoint{}
	}
	return task.Endpoint{File: fmt.Sprintf("socket:[%d]", inode)}
}

// stalledUnix examines the sockets that have opened a connection. These have no name. The other
// end has the name of the listening socket, which an accepted socket inherits.
func stalledUnix(mine map[uint32]bool, all []Unix) (found []task.Connection) {
	at, listener := map[uint32]*Unix{}, map[uint32]*Unix{}
	for i := range all {
		s := &all[i]
		at[s.Inode] = s
		for _, inode := range s.Waiting {
			listener[inode] = s
		}
	}
	for i := range all {
		s := &all[i]
		if !mine[s.Inode] || !s.isConnected() || s.Name != "" {
			continue
		}
		c := task.Connection{ID: uint64(s.Inode)}
		if l := listener[s.Inode]; l != nil {
			c.State, c.Remote, c.Other = task.NotAccepted, l.Name, fileOf(l.Inode)
		} else if other := at[s.Peer]; other != nil && other.Name != "" && other.Unread > 0 {
			c.State, c.Remote, c.Other, c.Unread = task.NotTaken, other.Name, fileOf(other.Inode), uint64(other.Unread)
		}
		if c.State != task.Moving {
			found = append(found, c)
		}
	}
	return found
}
