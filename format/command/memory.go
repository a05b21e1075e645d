package command

import (
	"runtime/debug"

	"stacksnap/task"
)

// A capture of very many threads keeps much memory, and would make several times as much
// garbage before a collection. The soft limit starts them earlier.
const (
	manyThreads = 4096
	manyMemory  = 80 << 20 // bytes of the soft limit
	memoryEach  = 2 << 10  // bytes more for each thread
)

// boundMemory sets a soft memory limit if the process has more than manyThreads threads.
// end restores the limit from before.
func boundMemory(p task.Process) (end func()) {
	ids, err := p.Threads()
	if err != nil || len(ids) <= manyThreads {
		return func() {}
	}
	before := debug.SetMemoryLimit(manyMemory + int64(len(ids))*memoryEach)
	return func() { debug.SetMemoryLimit(before) }
}
