//go:build linux

package sockdiag

import (
	"encoding/binary"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Unix is a Unix socket.
type Unix struct {
	Type    uint8
	State   uint8
	Inode   uint32
	Name    string   // its path, or an abstract name after an @; empty: none
	Peer    uint32   // inode of the socket to which it is connected; 0: none, or not accepted yet
	Unread  uint32   // bytes that can be read from it; for a listening socket, connections
	Waiting []uint32 // for a listening socket: inodes of those that wait to be accepted
}

// isConnected reports whether everything that can be read from the socket came from its peer. A
// datagram socket accepts datagrams from anybody.
func (s *Unix) isConnected() bool {
	return s.State == established && (s.Type == unix.SOCK_STREAM || s.Type == unix.SOCK_SEQPACKET)
}

// From include/uapi/linux/unix_diag.h.
const (
	unixRequestSize = 24 // struct unix_diag_req
	unixAnswerSize  = 16 // struct unix_diag_msg

	showName, showPeer, showWaiting, showQueues = 1, 4, 8, 16

	unixName, unixPeer, unixWaiting, unixQueues = 0, 2, 3, 4
)

// Unix lists the Unix sockets that listen or are connected.
func (c Conn) Unix(until time.Time) (all []Unix, err error) {
	request := unixRequest(unix.NLM_F_DUMP, 1<<established|1<<listening, showName|showPeer|showWaiting|showQueues)
	err = c.dump(request, until, func(b []byte) {
		if s, ok := parseUnix(b); ok {
			all = append(all, s)
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func unixRequest(flags uint16, states, show uint32) []byte {
	b := newRequest(flags, unixRequestSize)
	e := binary.NativeEndian
	b[headerSize] = unix.AF_UNIX
	e.PutUint32(b[headerSize+4:], states)
	e.PutUint32(b[headerSize+12:], show)
	return b
}

// peerTimeout bounds the wait for the answer about one socket, which the kernel sends at once.
const peerTimeout = 100 * time.Millisecond

// UnixPeer returns the inode of the socket to which a Unix socket of the caller's network namespace
// is connected; false if it is not connected.
func UnixPeer(inode uint32) (peer uint32, ok bool) {
	c, err := Open()
	if err != nil {
		return 0, false
	}
	defer c.Close()
	if c.send(peerRequest(inode)) != nil {
		return 0, false
	}
	b := make([]byte, 4096)
	n, err := c.receive(b, time.Now().Add(peerTimeout))
	if err != nil {
		return 0, false
	}
	return peerOf(b[:n], inode)
}

// peerRequest requests the socket with an inode, in whatever state.
func peerRequest(inode uint32) []byte {
	const anyState, noCookie = ^uint32(0), ^uint64(0) // INET_DIAG_NOCOOKIE
	b := unixRequest(0, anyState, showPeer)
	e := binary.NativeEndian
	e.PutUint32(b[headerSize+8:], inode)
	e.PutUint64(b[headerSize+16:], noCookie)
	return b
}

// peerOf finds the peer of a socket in the kernel's answer.
func peerOf(b []byte, inode uint32) (peer uint32, ok bool) {
	_, err := answers(b, func(body []byte) {
		if s, isUnix := parseUnix(body); isUnix && s.Inode == inode {
			peer = s.Peer
		}
	})
	return peer, err == nil && peer != 0
}

func parseUnix(b []byte) (s Unix, ok bool) {
	if len(b) < unixAnswerSize || b[0] != unix.AF_UNIX {
		return s, false
	}
	e := binary.NativeEndian
	s.Type, s.State, s.Inode = b[1], b[2], e.Uint32(b[4:])
	attributes(b[unixAnswerSize:], func(kind uint16, value []byte) {
		switch {
		case kind == unixName:
			s.Name = socketName(string(value))
		case kind == unixPeer && len(value) >= 4:
			s.Peer = e.Uint32(value)
		case kind == unixQueues && len(value) >= 8:
			s.Unread = e.Uint32(value)
		case kind == unixWaiting:
			for ; len(value) >= 4; value = value[4:] {
				s.Waiting = append(s.Waiting, e.Uint32(value))
			}
		}
	})
	return s, s.Inode != 0
}

// socketName returns the name of a socket as ss writes it: a path ends with a zero byte, an
// abstract name begins with one.
func socketName(name string) string {
	if abstract, ok := strings.CutPrefix(name, "\x00"); ok && abstract != "" {
		return "@" + strings.ReplaceAll(abstract, "\x00", "@")
	}
	name, _, _ = strings.Cut(name, "\x00")
	return name
}
