//go:build linux

package sockdiag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// sockDiagByFamily is SOCK_DIAG_BY_FAMILY (include/uapi/linux/sock_diag.h).
const sockDiagByFamily = 20

const (
	headerSize = 16 // struct nlmsghdr
	bufferSize = 64 << 10
	maxAnswer  = 64 << 20 // bytes in all, which are more sockets than can be read in time
)

var (
	errLate = errors.New("the kernel's tables of sockets are too long to be read in time")
	// ErrKind means that the kernel was built without, or lacks the module that would list them.
	ErrKind = errors.New("the kernel does not list sockets of this kind")
)

// Conn is a netlink socket by which the kernel lists the sockets of one network namespace.
type Conn struct{ fd int }

// Open returns a Conn of the network namespace that the caller's thread is in.
func Open() (Conn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return Conn{}, fmt.Errorf("netlink socket: %w", err)
	}
	return Conn{fd}, nil
}

// Close closes the netlink socket.
func (c Conn) Close() { _ = unix.Close(c.fd) }

// dump sends a request for all sockets of a kind, and passes the body of each answer to each.
func (c Conn) dump(request []byte, until time.Time, each func(body []byte)) error {
	if err := unix.Sendto(c.fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("netlink request: %w", err)
	}
	b := make([]byte, bufferSize)
	for read := 0; read < maxAnswer; {
		left := time.Until(until)
		if left <= 0 {
			return errLate
		}
		limit := unix.NsecToTimeval(max(left, time.Millisecond).Nanoseconds())
		_ = unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
		n, _, err := unix.Recvfrom(c.fd, b, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("netlink answer: %w", err)
		}
		read += n
		if done, err := answers(b[:n], each); done || err != nil {
			return err
		}
	}
	return errLate
}

// answers passes the bodies of the messages in b to each. It reports whether the last message of
// a dump is among them.
func answers(b []byte, each func(body []byte)) (done bool, err error) {
	e := binary.NativeEndian
	for len(b) >= headerSize {
		n := int(e.Uint32(b))
		if n < headerSize || n > len(b) {
			break
		}
		switch e.Uint16(b[4:]) {
		case unix.NLMSG_DONE:
			return true, nil
		case unix.NLMSG_ERROR:
			return true, ErrKind
		case sockDiagByFamily:
			each(b[headerSize:n])
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return false, nil
}

// attributes passes the attributes in b to each. An attribute is a length, a type and a value,
// padded to four bytes.
func attributes(b []byte, each func(kind uint16, value []byte)) {
	e := binary.NativeEndian
	for len(b) >= 4 {
		n := int(e.Uint16(b))
		if n < 4 || n > len(b) {
			return
		}
		each(e.Uint16(b[2:]), b[4:n])
		b = b[min((n+3)&^3, len(b)):]
	}
}

// dumpRequest returns a header for a request of size bytes in all, and room for them.
func dumpRequest(size int) []byte {
	b := make([]byte, headerSize+size)
	e := binary.NativeEndian
	e.PutUint32(b[0:], uint32(len(b)))
	e.PutUint16(b[4:], sockDiagByFamily)
	e.PutUint16(b[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	return b
}
