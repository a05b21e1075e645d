//go:build linux

// Package sockets reads the tables of sockets in /proc: the kind of a socket, and the peer of a
// TCP socket. A socket is identified by its inode.
package sockets

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// Inode returns the inode in the link of a socket's descriptor, "socket:[INODE]" (sockfs_dname,
// net/socket.c).
func Inode(link string) (inode string, ok bool) {
	s, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, "]")
}

// Table describes a file of /proc/PID/net that lists sockets, by the positions of the fields
// used.
type Table struct {
	Name  string
	inode int
	title func(fields [][]byte) string
}

// Tables are the files of /proc/PID/net that are searched for a socket: TCP, UDP and Unix. Their
// columns are those printed by get_tcp4_sock (net/ipv4/tcp_ipv4.c), similar functions, and
// unix_seq_show (net/unix/af_unix.c).
var Tables = []Table{
	{"tcp", 9, internet("tcp")},
	{"tcp6", 9, internet("tcp")},
	{"udp", 9, internet("udp")},
	{"udp6", 9, internet("udp")},
	Unix,
}

// Unix is the table of Unix sockets.
var Unix = Table{"unix", 6, unixTitle}

// Find describes the socket with an inode, if the table lists it.
func (t Table) Find(file []byte, inode string) (string, bool) {
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
	return Unnamed(string(f[6]))
}

// Unnamed returns the description of a Unix socket without a name.
func Unnamed(inode string) string { return "unix socket:[" + inode + "]" }

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

// endpoint reads an address of a table: 32-bit words in the host's byte order, in hexadecimal, a
// colon, and the port. (Every supported host is little-endian.)
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

// tcpEstablished is TCP_ESTABLISHED (include/net/tcp_states.h).
const tcpEstablished = "01"

// TCPTables are the files of /proc/PID/net that list connections. A connection of an IPv6 socket
// may be to an IPv4 socket.
var TCPTables = []string{"tcp", "tcp6"}

// ends are the addresses of a connection from the view of one of its sockets.
type ends struct{ local, remote string }

// connection is a TCP socket at one end of a connection.
type connection struct {
	ends
	inode string
}

// TCPPeers returns, for each socket in TCP tables, the socket at the other end of its connection
// if that is in a table, too. Keys and values are inodes.
func TCPPeers(tables ...[]byte) map[string]string {
	var all []connection
	for _, b := range tables {
		all = append(all, connections(b)...)
	}
	return peersOf(all)
}

// connections reads a table, by the fields of get_tcp4_sock, net/ipv4/tcp_ipv4.c.
func connections(table []byte) (all []connection) {
	for line := range bytes.Lines(table) {
		if f := bytes.Fields(line); len(f) > 9 && string(f[3]) == tcpEstablished {
			all = append(all, connection{ends{endpoint(f[1]), endpoint(f[2])}, string(f[9])})
		}
	}
	return all
}

// peersOf returns, for each socket, the one that has the same addresses swapped. A socket has no
// inode until its connection has been accepted.
func peersOf(all []connection) map[string]string {
	at := map[ends][]string{}
	for _, c := range all {
		at[c.ends] = append(at[c.ends], c.inode)
	}
	peers := map[string]string{}
	for _, c := range all {
		others := at[ends{c.remote, c.local}]
		if c.inode != "0" && c.local != c.remote && len(others) == 1 && others[0] != "0" {
			peers[c.inode] = others[0]
		}
	}
	return peers
}
