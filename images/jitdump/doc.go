// Package jitdump reads jit-PID.dump, a file in which JIT compilers describe their
// code for perf (tools/perf/Documentation/jitdump-specification.txt of Linux). A
// header is followed by records in the writer's byte order: code that was generated
// or moved, and before it its source lines. The code itself and its unwind
// information are skipped.
package jitdump
