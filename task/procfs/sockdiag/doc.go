// Package sockdiag asks the kernel by netlink what the sockets of a network namespace do: to what
// they are connected, when data was last sent and received, and what was not read. It finds the
// connections on which nothing moves. Sockets are only listed, and never used.
package sockdiag
