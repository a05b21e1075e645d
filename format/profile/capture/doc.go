// Package capture turns a process into a profile: it takes snapshots, walks the
// stacks that they copied, and stops the process again, for longer copies, where
// a stack went on beyond the first.
package capture
