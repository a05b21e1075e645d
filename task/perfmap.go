package task

import "os"

// PerfMapper is a live [Process] that opens the file in which a JIT compiler of the
// target may name the code that it makes, for perf.
type PerfMapper interface {
	// OpenPerfMap opens the file, which is the caller's from then on, and returns its
	// path as the target sees it. The error says why there is none that can be
	// believed: anybody can write to the folder that it is in.
	OpenPerfMap() (f *os.File, path string, err error)
}
