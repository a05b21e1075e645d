package cpython

import (
	"stacksnap/task"
)

// ThreadNames returns the names that the module threading has for the threads of the last
// [Instance.Chains], of those that it knows. The process may run meanwhile: a name that changes
// between two readings is left out.
func (p *Instance) ThreadNames(m task.Memory) map[task.ThreadID]string {
	if p.layout.asyncio.modules == 0 || len(p.states) == 0 {
		return nil
	}
	names := map[task.ThreadID]string{}
	first, again := p.namesByHandle(m), p.namesByHandle(m)
	for id, s := range p.states {
		if name := first[s.handle]; name != "" && name == again[s.handle] {
			names[id] = name
		}
	}
	return names
}

// namesByHandle returns the names of the threads of all interpreters by what pthread_self returns
// in them. The main interpreter, which is the last one, has the names of its own threads.
func (p *Instance) namesByHandle(m task.Memory) map[uint64]string {
	r := nameReader{objects: objects{p: p, m: p.newPages(m), types: map[task.Addr]*typeObject{}}, names: map[uint64]string{}}
	for _, s := range p.states {
		r.names[s.handle] = ""
	}
	_ = p.eachInterpreter(r.m, func(interp task.Addr) error {
		r.interpreter(interp)
		return nil
	})
	return r.names
}

// nameReader reads names of threads.
type nameReader struct {
	objects
	names map[uint64]string // by handle; empty: not known
}

// interpreter reads threading._active of an interpreter, a dict of threads by their handles. What
// cannot be read is left out.
func (r *nameReader) interpreter(interp task.Addr) {
	names, err := r.module(interp, "threading")
	if err != nil || names == 0 {
		return
	}
	active, err := r.lookUp(names, "_active")
	if err != nil || !r.isBuiltin(active, "dict") {
		return
	}
	keys, err := r.pointer(active + dictKeys)
	if err != nil {
		return
	}
	_ = r.entries(keys, func(_ int, key, thread task.Addr) bool {
		r.thread(key, thread)
		return true
	})
}

// thread reads the name of a thread with a handle, if there is such a thread.
func (r *nameReader) thread(key, thread task.Addr) {
	handle, ok := r.integer(key)
	if !ok {
		return
	}
	if _, ok := r.names[handle]; !ok {
		return
	}
	name, err := r.attribute(thread, "_name")
	if err != nil || !r.isBuiltin(name, "str") {
		return
	}
	if s, err := r.p.layout.readString(r.m, name, maxName); err == nil {
		r.names[handle] = s
	}
}
