// Package perfmap reads the names that JIT compilers give the code they make, in
// files that are there for perf: /tmp/perf-PID.map (tools/perf/Documentation/
// jit-interface.txt of Linux). Each line is
//
//	START SIZE name
//
// with both numbers hexadecimal, with or without 0x, and a name of any characters
// up to the line's end.
package perfmap
