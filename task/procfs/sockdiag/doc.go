// Package sockdiag lists the sockets of a network namespace by netlink: what they are connected to,
// when data was last sent and received, and how much was not read. It finds the connections on which
// nothing moves. Sockets are only listed, never used.
package sockdiag
