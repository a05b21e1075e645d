// Package procfs reads live Linux processes through their files in /proc and the kernel's tables
// of sockets and file locks. It traces nothing and stops nothing: package ptrace does that, and
// uses this package to read.
//
// # Whose pids
//
// Pids and thread ids are those of our own pid namespace. A target in a container has another
// mount namespace: a path in a [task.Region] or in [task.Info] is as the target sees it, and is
// found below /proc/PID/root in our view.
package procfs
