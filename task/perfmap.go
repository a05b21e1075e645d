package task

import "os"

// PerfMapper is a live [Process] that opens the files in which a JIT compiler of the
// target may name the code that it makes, for perf.
//
// A file is the caller's from then on, and its path is as the target sees it. The
// error says why there is none that can be believed: anybody can write to the folders
// that these are in.
type PerfMapper interface {
	// OpenPerfMap opens the perf map.
	OpenPerfMap() (f *os.File, path string, err error)
	// OpenJITDump opens the jitdump: one of those that are mapped as if they were
	// code, by which perf finds it, or else one in a folder that is usual.
	OpenJITDump(mapped []string) (f *os.File, path string, err error)
}
