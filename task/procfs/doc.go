// Package procfs reads live Linux processes by their files in /proc and by the kernel's
// tables of sockets and file locks. It traces nothing and stops nothing: package ptrace
// does, and reads by what is here.
//
// # Whose pids
//
// Pids and thread ids are those of our own pid namespace. The mount namespace of
// a target in a container is another: a path in a [task.Region] or in
// [task.Info] is in the target's view, below /proc/PID/root in ours.
package procfs
