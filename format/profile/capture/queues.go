package capture

import (
	"stacksnap/images"
	"stacksnap/task"
)

// queueLabeler is a process whose threads work for dispatch queues.
type queueLabeler interface{ SetQueueOffsets(task.Addr) error }

const libdispatch = "libdispatch.dylib"

// dataSymbols is a file that can look for a variable.
type dataSymbols interface {
	DataSymbol(name string) (vmaddr uint64, ok bool)
}

// nameQueues tells the process where libdispatch describes its queues. Without
// it the queues have no names.
func nameQueues(p task.Process, m *images.Map) {
	q, ok := p.(queueLabeler)
	if !ok {
		return
	}
	for _, im := range m.Images {
		if f, ok := im.File.(dataSymbols); ok && im.Name() == libdispatch {
			if vmaddr, ok := f.DataSymbol("_dispatch_queue_offsets"); ok {
				_ = q.SetQueueOffsets(im.Addr(vmaddr)) // a library that is not understood costs the names only
			}
		}
	}
}
