package ptrace

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// socketInode takes apart the link of a socket's descriptor, "socket:[INODE]"
// (sockfs_dname, net/socket.c).
func socketInode(link string) (inode string, ok bool) {
	s, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, "]")
}

// socketTable is a file of /proc/PID/net that lists sockets, by the position of
// the fields used.
type socketTable struct {
	name  string
	inode int
	title func(fields [][]byte) string
}

// get_tcp4_sock, net/ipv4/tcp_ipv4.c, and its kin; unix_seq_show,
// net/unix/af_unix.c.
var socketTables = []socketTable{
	{"tcp", 9, internet("tcp")},
	{"tcp6", 9, internet("tcp")},
	{"udp", 9, internet("udp")},
	{"udp6", 9, internet("udp")},
	{"unix", 6, unixTitle},
}

func (t socketTable) find(file []byte, inode string) (string, bool) {
	for line := range bytes.Lines(file) {
		f := bytes.Fields(line)
		if len(f) > t.inode && string(f[t.inode]) == inode {
			return t.title(f), true
		}
	}
	return "", false
}

func unixTitle(f [][]byte) string {
	if len(f) > 7 {
		return "unix socket " + string(f[7])
	}
	return "unix socket:[" + string(f[6]) + "]"
}

// tcpListen is TCP_LISTEN (include/net/tcp_states.h).
const tcpListen = "0A"

func internet(protocol string) func([][]byte) string {
	return func(f [][]byte) string {
		local, remote := endpoint(f[1]), endpoint(f[2])
		switch {
		case protocol == "tcp" && string(f[3]) == tcpListen:
			return "tcp socket listening at " + local
		case !strings.HasSuffix(remote, ":0"):
			return protocol + " socket " + local + " to " + remote
		}
		return protocol + " socket " + local
	}
}

// endpoint reads an address as the tables have it: words of 32 bits in the
// host's byte order, in hexadecimal, a colon, and the port. (Every host that
// this runs on is little-endian.)
func endpoint(b []byte) string {
	address, port, _ := strings.Cut(string(b), ":")
	raw, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(raw)%4 != 0 {
		return string(b)
	}
	for i := 0; i < len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	ip, ok := netip.AddrFromSlice(raw)
	if !ok {
		return string(b)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)).String()
}

// watchedFile is a file that an epoll instance watches.
type watchedFile struct {
	fd    int // by which it was added
	inode uint64
}

// watched reads what an epoll instance watches from its fdinfo file, lowest
// descriptor first. A line each is (ep_show_fdinfo, fs/eventpoll.c)
//
//	tfd: FD events: MASK data: HEX pos:OFFSET ino:HEX sdev:HEX
func watched(fdinfo []byte) (all []watchedFile) {
	for line := range bytes.Lines(fdinfo) {
		f := bytes.Fields(line)
		if len(f) < 8 || string(f[0]) != "tfd:" {
			continue
		}
		n, err := strconv.Atoi(string(f[1]))
		hex, ok := bytes.CutPrefix(f[7], []byte("ino:"))
		inode, inodeErr := strconv.ParseUint(string(hex), 16, 64)
		if err == nil && ok && inodeErr == nil {
			all = append(all, watchedFile{n, inode})
		}
	}
	slices.SortFunc(all, func(a, b watchedFile) int { return a.fd - b.fd })
	return all
}

// lastNumber returns the last of numbers with space between, 0 when there is
// none.
func lastNumber(b []byte) int {
	f := bytes.Fields(b)
	if len(f) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(f[len(f)-1]))
	return n
}
