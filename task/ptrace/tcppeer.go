//go:build linux && (amd64 || arm64)

package ptrace

import "bytes"

// tcpEstablished is TCP_ESTABLISHED (include/net/tcp_states.h).
const tcpEstablished = "01"

// tcpTables are the files of /proc/PID/net that list connections; one of a program for
// IPv6 may be to one for IPv4.
var tcpTables = []string{"tcp", "tcp6"}

// connection is a socket of TCP at one end of a connection.
type connection struct{ local, remote, inode string }

// tcpPeer finds the other end of a connection within the target's network namespace.
func (p *Process) tcpPeer(inode string) (peer string, ok bool) {
	var all []connection
	for _, name := range tcpTables {
		if b, err := p.live.read("net/" + name); err == nil { // there may be no IPv6
			all = append(all, connections(b)...)
		}
	}
	return otherSocket(all, inode)
}

// connections reads a table, by the fields of get_tcp4_sock, net/ipv4/tcp_ipv4.c.
func connections(table []byte) (all []connection) {
	for line := range bytes.Lines(table) {
		if f := bytes.Fields(line); len(f) > 9 && string(f[3]) == tcpEstablished {
			all = append(all, connection{endpoint(f[1]), endpoint(f[2]), string(f[9])})
		}
	}
	return all
}

// otherSocket returns the one socket whose addresses are those of another's, exchanged.
// It has no inode as long as nobody has accepted it.
func otherSocket(all []connection, inode string) (peer string, ok bool) {
	for _, c := range all {
		if c.inode != inode || inode == "0" {
			continue
		}
		for _, d := range all {
			if d.local != c.remote || d.remote != c.local || d == c {
				continue
			}
			if ok || d.inode == "0" {
				return "", false
			}
			peer, ok = d.inode, true
		}
	}
	return peer, ok
}
