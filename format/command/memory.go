package command

import (
	"runtime/debug"

	"stacksnap/task"
)

// What is kept of very many threads is large, and garbage several times as large would
// pile up before it is collected.
const (
	manyThreads = 4096
	manyMemory  = 80 << 20 // from so many bytes on it is collected more often
	memoryEach  = 2 << 10  // and so many more for each thread
)

// boundMemory has garbage of the capture and report of a process with very many threads
// be collected early, until end.
func boundMemory(p task.Process) (end func()) {
	ids, err := p.Threads()
	if err != nil || len(ids) <= manyThreads {
		return func() {}
	}
	before := debug.SetMemoryLimit(manyMemory + int64(len(ids))*memoryEach)
	return func() { debug.SetMemoryLimit(before) }
}
