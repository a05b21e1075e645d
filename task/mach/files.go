package mach

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
)

// The flavors of proc_pidfdinfo that are tried, the commonest kinds first, with the sizes of
// their results, which begin with a struct proc_fileinfo of 24 bytes (bsd/sys/proc_info.h). The
// kernel refuses a descriptor of another kind.
var fileQuestions = []struct {
	flavor, size int
	tell         func([]byte) string
}{
	{2, 1200, vnode},  // PROC_PIDFDVNODEPATHINFO, struct vnode_fdinfowithpath
	{3, 792, socket},  // PROC_PIDFDSOCKETINFO, struct socket_fdinfo
	{6, 184, pipe},    // PROC_PIDFDPIPEINFO, struct pipe_fdinfo
	{7, 168, kqueue},  // PROC_PIDFDKQUEUEINFO, struct kqueue_fdinfo
	{4, 1184, psem},   // PROC_PIDFDPSEMINFO, struct psem_fdinfo
	{5, 1192, shared}, // PROC_PIDFDPSHMINFO, struct pshm_fdinfo
}

const largestFileAnswer = 1200

// The errors for a descriptor of another kind, and for a number that is no descriptor
// (bsd/kern/proc_info.c, proc_pidfdinfo).
const (
	badFile   Errno = 9  // EBADF
	notSocket Errno = 38 // ENOTSOCK
)

// OpenFile implements [task.Capabilities].OpenFile. If the kernel refuses for a reason that is
// not the descriptor's, it describes none, and is not called again.
func (p *Process) OpenFile(fd int) string {
	if p.closed || p.stopped || p.noFiles || fd < 0 {
		return ""
	}
	var b [largestFileAnswer]byte
	for _, q := range fileQuestions {
		clear(b[:])
		n, e := p.k.file(p.pid, fd, q.flavor, b[:q.size])
		switch {
		case e == ok && n == q.size:
			return q.tell(b[:q.size])
		case e != ok && e != badFile && e != notSocket:
			p.noFiles = true
			return ""
		}
	}
	return ""
}

// cString returns the text at the start of b, or "" if it is not printable.
func cString(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return printable(string(s))
}

// vnode returns the path: vip_path, the last field.
func vnode(b []byte) string { return cString(b[176:]) }

// pipe returns the handles of both ends, which are the same in every process that has them.
func pipe(b []byte) string {
	le := binary.LittleEndian
	return fmt.Sprintf("pipe %#x, whose other end is %#x", le.Uint64(b[160:]), le.Uint64(b[168:]))
}

func kqueue([]byte) string { return "kqueue" }

func psem(b []byte) string { return named("semaphore", cString(b[160:])) }

func shared(b []byte) string { return named("shared memory", cString(b[168:])) }

func named(what, name string) string {
	if name == "" {
		return what
	}
	return what + " " + name
}

// The fields of struct socket_info (bsd/sys/proc_info.h), as offsets in the result:
// soi_protocol, soi_family, soi_kind, and those of soi_proto.
const (
	socketProtocol = 180
	socketKind     = 256

	inetRemotePort = 264 // insi_fport, in the network's order
	inetLocalPort  = 268 // insi_lport
	inetVersion    = 288 // insi_vflag: which version the addresses have
	inetRemote     = 296 // insi_faddr: 16 bytes, an IPv4 address in the last four
	inetLocal      = 312 // insi_laddr
	tcpState       = 344 // tcpsi_state

	unixPath     = 282 // unsi_addr.ua_sun.sun_path
	unixPeerPath = 537 // unsi_caddr.ua_sun.sun_path
	unixPathSize = 253

	controlName = 288 // kcsi_name
)

// Values of these fields: SOCKINFO_*, INI_IPV4, IPPROTO_* and TSI_S_LISTEN.
const (
	kindInternet = 1
	kindTCP      = 2
	kindUnix     = 3
	kindControl  = 6
	version4     = 1
	protocolTCP  = 6
	protocolUDP  = 17
	tcpListening = 1
)

func socket(b []byte) string {
	le := binary.LittleEndian
	switch le.Uint32(b[socketKind:]) {
	case kindTCP:
		return internet(b, "tcp", le.Uint32(b[tcpState:]) == tcpListening)
	case kindInternet:
		return internet(b, protocolName(le.Uint32(b[socketProtocol:])), false)
	case kindUnix:
		return unixSocket(cString(b[unixPath:][:unixPathSize]), cString(b[unixPeerPath:][:unixPathSize]))
	case kindControl:
		return named("kernel control socket", cString(b[controlName:][:96]))
	}
	return "socket"
}

func protocolName(protocol uint32) string {
	switch protocol {
	case protocolTCP:
		return "tcp"
	case protocolUDP:
		return "udp"
	}
	return fmt.Sprintf("internet protocol %d", protocol)
}

func internet(b []byte, protocol string, listens bool) string {
	version := b[inetVersion]
	local := endpoint(b[inetLocal:], b[inetLocalPort:], version)
	switch remote := endpoint(b[inetRemote:], b[inetRemotePort:], version); {
	case listens:
		return protocol + " socket listening at " + local.String()
	case remote.Port() != 0:
		return protocol + " socket " + local.String() + " to " + remote.String()
	}
	return protocol + " socket " + local.String()
}

// endpoint reads an address and a port.
func endpoint(addr, port []byte, version byte) netip.AddrPort {
	a := netip.AddrFrom16([16]byte(addr[:16]))
	if version&version4 != 0 {
		a = netip.AddrFrom4([4]byte(addr[12:16]))
	}
	return netip.AddrPortFrom(a, binary.BigEndian.Uint16(port))
}

// unixSocket describes a socket by its own path or, if it has none, its peer's.
func unixSocket(path, peer string) string {
	switch {
	case path != "":
		return "unix socket " + path
	case peer != "":
		return "unix socket to " + peer
	}
	return "unix socket"
}
