// Package perfmap reads /tmp/perf-PID.map, a file in which JIT compilers name their
// code for perf (tools/perf/Documentation/jit-interface.txt of Linux). Each line is
//
//	START SIZE name
//
// with both numbers hexadecimal, with or without 0x, and a name of any characters up
// to the line's end.
package perfmap
