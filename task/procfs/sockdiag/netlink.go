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
	maxAnswer  = 64 << 20 // bytes in all: more sockets than can be read in time
)

var (
	errLate = errors.New("the kernel's tables of sockets are too long to be read in time")
	// ErrKind means that the kernel lacks the code that lists sockets of a kind, built in or as a module.
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

// dump requests all sockets of a kind, and passes the body of each answer to the function each.
func (c Conn) dump(request []byte, until time.Time, each func(body []byte)) error {
	if err := c.send(request); err != nil {
		return err
	}
	b := make([]byte, bufferSize)
	for read := 0; read < maxAnswer; {
		n, err := c.receive(b, until)
		if err != nil {
			return err
		}
		read += n
		if done, err := answers(b[:n], each); done || err != nil {
			return err
		}
	}
	return errLate
}

func (c Conn) send(request []byte) error {
	if err := unix.Sendto(c.fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("netlink request: %w", err)
	}
	return nil
}

// receive reads the next messages of an answer into b.
func (c Conn) receive(b []byte, until time.Time) (n int, err error) {
	for {
		left := time.Until(until)
		if left <= 0 {
			return 0, errLate
		}
		limit := unix.NsecToTimeval(max(left, time.Millisecond).Nanoseconds())
		_ = unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
		n, _, err := unix.Recvfrom(c.fd, b, 0)
		switch {
		case err == nil:
			return n, nil
		case err != unix.EINTR:
			return 0, fmt.Errorf("netlink answer: %w", err)
		}
	}
}

// answers passes the bodies of the messages in b to the function each. It reports whether the
// last message of a dump is among them.
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

// attributes passes the attributes in b to the function each. An attribute is a length, a type
// and a value, padded to four bytes.
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

// newRequest returns a request with a header and room for size bytes. [unix.NLM_F_DUMP] asks for all
// sockets.
func newRequest(flags uint16, size int) []byte {
	b := make([]byte, headerSize+size)
	e := binary.NativeEndian
	e.PutUint32(b[0:], uint32(len(b)))
	e.PutUint16(b[4:], sockDiagByFamily)
	e.PutUint16(b[6:], unix.NLM_F_REQUEST|flags)
	return b
}
