package managed

import "stacksnap/task"

// NameThreads sets the names that runtimes have for threads. It reads them if there were threads
// without one when the chains were read. The process may run meanwhile.
func (r *Runtimes) NameThreads(threads []task.Thread) {
	if !r.Any() {
		return
	}
	if r.unnamed {
		r.readNames()
	}
	for i := range threads {
		threads[i].RuntimeName = r.names[threads[i].ID]
	}
}

// NameOf returns the name that a runtime has for a thread, as far as it was read.
func (r *Runtimes) NameOf(id task.ThreadID) string {
	if r == nil {
		return ""
	}
	return r.names[id]
}

func (r *Runtimes) readNames() {
	r.unnamed = false
	if r.names == nil {
		r.names = map[task.ThreadID]string{}
	}
	for i := range r.found {
		for own, name := range r.found[i].ThreadNames(r.memory) {
			if id, ok := r.threads.outer(own); ok {
				r.names[id] = name
			}
		}
	}
}
