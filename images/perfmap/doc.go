// Package perfmap reads the names that JIT compilers give the code they make, in
// files that are there for perf: /tmp/perf-PID.map (tools/perf/Documentation/
// jit-interface.txt of Linux). Each line is
//
//	START SIZE name
//
// with both numbers hexadecimal, with or without 0x, and a name of any characters
// up to the line's end. Lines are appended as code is made and moved: of several
// that cover an address, the last one holds.
//
// A file is the work of the target, or of anybody who can write to it: what it says
// is bounded, and names the code of no file.
package perfmap
