//go:build linux

package sockdiag

import (
	"encoding/binary"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// TCP is a TCP socket.
type TCP struct {
	State         uint8
	Local, Remote netip.AddrPort
	Inode         uint32 // 0: nobody has accepted the connection yet
	Unread        uint32 // bytes received but not read; for a listening socket, connections
	Sent, Got     bool   // data was ever sent or received
	Retries       uint8  // number of times that the last packet was sent again
	// LastSent and LastGot are the times since data was last sent, or sent again, and received.
	LastSent, LastGot time.Duration
}

// The states of a socket (include/net/tcp_states.h). Unix sockets have the same.
const (
	established = 1
	synSent     = 2
	listening   = 10
)

// From include/uapi/linux/inet_diag.h.
const (
	inetRequestSize = 56 // struct inet_diag_req_v2
	inetAnswerSize  = 72 // struct inet_diag_msg
	inetInfo        = 2  // INET_DIAG_INFO

	timerAt, retriesAt = 2, 3 // in struct inet_diag_msg
	portsAt, sourceAt  = 4, 8
	targetAt           = 24
	unreadAt           = 56
	inodeAt            = 68

	timerRetransmits = 1 // the timer by which a packet is sent again
)

// The fields of struct tcp_info (include/uapi/linux/tcp.h), in the order of the kernel.
const (
	infoLastSent = 44
	infoLastGot  = 52
	infoBytesGot = 128
	infoDataSent = 156 // data segments, since Linux 4.6
	infoSize     = 160
)

// TCP lists the TCP sockets that listen, connect or are connected.
func (c Conn) TCP(until time.Time) (all []TCP, err error) {
	for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
		err := c.dump(tcpRequest(family), until, func(b []byte) {
			if s, ok := parseTCP(b); ok {
				all = append(all, s)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func tcpRequest(family uint8) []byte {
	b := newRequest(unix.NLM_F_DUMP, inetRequestSize)
	b[headerSize] = family
	b[headerSize+1] = unix.IPPROTO_TCP
	b[headerSize+2] = 1 << (inetInfo - 1)
	binary.NativeEndian.PutUint32(b[headerSize+4:], 1<<established|1<<synSent|1<<listening)
	return b
}

func parseTCP(b []byte) (s TCP, ok bool) {
	if len(b) < inetAnswerSize {
		return s, false
	}
	e := binary.NativeEndian
	s.State, s.Unread, s.Inode = b[1], e.Uint32(b[unreadAt:]), e.Uint32(b[inodeAt:])
	if b[timerAt] == timerRetransmits {
		s.Retries = b[retriesAt]
	}
	s.Local = endpoint(b[0], b[sourceAt:], b[portsAt:])
	s.Remote = endpoint(b[0], b[targetAt:], b[portsAt+2:])
	attributes(b[inetAnswerSize:], func(kind uint16, info []byte) {
		if kind != inetInfo || len(info) < infoSize {
			return
		}
		s.Sent, s.Got = e.Uint32(info[infoDataSent:]) != 0, e.Uint64(info[infoBytesGot:]) != 0
		s.LastSent = time.Duration(e.Uint32(info[infoLastSent:])) * time.Millisecond
		s.LastGot = time.Duration(e.Uint32(info[infoLastGot:])) * time.Millisecond
	})
	return s, s.Local.IsValid() && s.Remote.IsValid()
}

// endpoint reads an address and a port, both in network byte order.
func endpoint(family uint8, address, port []byte) netip.AddrPort {
	var a netip.Addr
	switch family {
	case unix.AF_INET:
		a = netip.AddrFrom4([4]byte(address))
	case unix.AF_INET6:
		a = netip.AddrFrom16([16]byte(address)).Unmap()
	}
	return netip.AddrPortFrom(a, binary.BigEndian.Uint16(port))
}
