//go:build linux && (amd64 || arm64)

package ptrace

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"
)

// Of include/uapi/linux/sock_diag.h and unix_diag.h.
const (
	sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY
	showPeer         = 4  // UDIAG_SHOW_PEER
	attributePeer    = 2  // UNIX_DIAG_PEER

	requestSize = 16 + 24 // struct nlmsghdr, struct unix_diag_req
	answerSize  = 16 + 16 // struct nlmsghdr, struct unix_diag_msg
)

// diagPatience bounds the wait for an answer, which the kernel gives at once.
const diagPatience = 100 * time.Millisecond

// unixPeer asks for the inode of the socket to which a Unix socket of our network
// namespace is connected; false when it is not.
func unixPeer(inode uint32) (peer uint32, ok bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, false
	}
	defer closeFD(fd)
	limit := unix.NsecToTimeval(int64(diagPatience))
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
	if unix.Sendto(fd, peerRequest(inode), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return 0, false
	}
	b := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, b, 0)
	if err != nil {
		return 0, false
	}
	return parsePeer(b[:n], inode)
}

// peerRequest asks for the one socket of an inode, in whatever state.
func peerRequest(inode uint32) []byte {
	b := make([]byte, requestSize)
	e := binary.NativeEndian
	e.PutUint32(b[0:], requestSize)
	e.PutUint16(b[4:], sockDiagByFamily)
	e.PutUint16(b[6:], unix.NLM_F_REQUEST)
	b[16] = unix.AF_UNIX
	e.PutUint32(b[20:], ^uint32(0)) // states
	e.PutUint32(b[24:], inode)
	e.PutUint32(b[28:], showPeer)
	e.PutUint64(b[32:], ^uint64(0)) // no cookie: INET_DIAG_NOCOOKIE
	return b
}

// parsePeer finds the peer's inode in the answer, whose attributes are each a
// length, a type and a value, padded to four bytes.
func parsePeer(b []byte, inode uint32) (peer uint32, ok bool) {
	e := binary.NativeEndian
	if len(b) < answerSize || e.Uint16(b[4:]) != sockDiagByFamily || e.Uint32(b[20:]) != inode {
		return 0, false
	}
	b = b[:min(uint64(e.Uint32(b)), uint64(len(b)))]
	for b = b[min(answerSize, len(b)):]; len(b) >= 4; {
		n := int(e.Uint16(b))
		if n < 4 || n > len(b) {
			return 0, false
		}
		if e.Uint16(b[2:]) == attributePeer && n == 8 {
			peer = e.Uint32(b[4:])
			return peer, peer != 0
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return 0, false
}
