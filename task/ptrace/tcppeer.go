//go:build linux && (amd64 || arm64)

package ptrace

import "bytes"

// tcpEstablished is TCP_ESTABLISHED (include/net/tcp_states.h).
const tcpEstablished = "01"

// tcpTables are the files of /proc/PID/net that list connections; one of a program for
// IPv6 may be to one for IPv4.
var tcpTables = []string{"tcp", "tcp6"}

// ends are the addresses of a connection, as one of its sockets has them.
type ends struct{ local, remote string }

// connection is a socket of TCP at one end of a connection.
type connection struct {
	ends
	inode string
}

// tcpPeer finds the other end of a connection within the target's network namespace, as
// the tables were after the threads were last listed: they may be long.
func (p *Process) tcpPeer(inode string) (peer string, ok bool) {
	if p.tcpPeers == nil {
		var all []connection
		for _, name := range tcpTables {
			if b, err := p.live.read("net/" + name); err == nil { // there may be no IPv6
				all = append(all, connections(b)...)
			}
		}
		p.tcpPeers = otherSockets(all)
	}
	peer, ok = p.tcpPeers[inode]
	return peer, ok
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

// otherSockets returns for sockets the one whose addresses are theirs, exchanged. None has
// an inode as long as nobody has accepted it.
func otherSockets(all []connection) map[string]string {
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
