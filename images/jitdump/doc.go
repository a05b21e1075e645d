// Package jitdump reads the names that JIT compilers give the code they make, in
// files that are there for perf: jit-PID.dump (tools/perf/Documentation/
// jitdump-specification.txt of Linux). A header is followed by records, in the byte
// order of the writer: code that was made or moved, and, before code, where it is in
// the source. The code itself and its unwind information are passed over.
package jitdump
