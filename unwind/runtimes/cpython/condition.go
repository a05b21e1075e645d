package cpython

import (
	"encoding/binary"
	"fmt"

	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

// exceptionLayout is where a thread state has the exceptions that it raises and handles.
type exceptionLayout struct {
	raised  int // current_exception, or curexc_type to 3.11
	handled int // exc_info: the innermost _PyErr_StackItem
	value   int // of an item: exc_value
	next    int // previous_item
}

// collectionLayout has the offset of whether garbage is collected.
type collectionLayout struct {
	runtime int // in the runtime's state; 0: not there
	interp  int // in each interpreter; 0: not there
}

// exceptionsOf returns the layout of exceptions in 3.minor.
func exceptionsOf(minor int) exceptionLayout {
	switch {
	case minor <= 10:
		return exceptionLayout{raised: 88, handled: 144, value: 8, next: 24}
	case minor == 11:
		return exceptionLayout{raised: 96, handled: 120, next: 8}
	case minor == 12:
		return exceptionLayout{raised: 96, handled: 104, next: 8}
	case minor <= 14:
		return exceptionLayout{raised: 112, handled: 120, next: 8}
	}
	return exceptionLayout{raised: 136, handled: 144, next: 8}
}

// collectionOf returns where 3.minor has the state of its collector. Later versions have a table of
// offsets.
func collectionOf(minor int) collectionLayout {
	switch minor {
	case 8:
		return collectionLayout{runtime: 544}
	case 9, 10:
		return collectionLayout{interp: 816}
	case 11:
		return collectionLayout{interp: 848}
	case 12:
		return collectionLayout{interp: 312}
	}
	return collectionLayout{}
}

// Evidence implements [runtimes.Conditioner].
func (p *Instance) Evidence(c runtimes.Condition, m task.Memory) (map[task.ThreadID][]task.Chain, error) {
	if c != runtimes.HandlesException && p.layout.gil == (gilLayout{}) {
		return nil, fmt.Errorf("CPython %v: it is built without the GIL: who holds it, or collects garbage, is not known", p.version)
	}
	all := make(map[task.ThreadID][]task.Chain, len(p.states))
	for id, s := range p.states {
		if chains, err := p.evidence(c, m, &s); err == nil {
			all[id] = chains
		}
	}
	return all, nil
}

func (p *Instance) evidence(c runtimes.Condition, m task.Memory, s *threadState) ([]task.Chain, error) {
	if c == runtimes.HandlesException {
		return []task.Chain{p.layout.exceptions.chain(s.at)}, nil
	}
	gil := p.runtime + task.Addr(p.layout.gil.runtime)
	if p.layout.gil.runtime == 0 {
		var err error
		if gil, err = task.ReadPointer(m, s.interp+task.Addr(p.layout.gil.interp), 8); err != nil {
			return nil, err
		}
	}
	chains := []task.Chain{{At: gil, Size: gilSize}}
	if c == runtimes.CollectsGarbage {
		chains = append(chains, task.Chain{At: p.collecting(s), Size: 4})
	}
	return chains, nil
}

// collecting returns the address of the field that says whether the garbage collector of a thread's
// interpreter is running.
func (p *Instance) collecting(s *threadState) task.Addr {
	if p.layout.collection.runtime != 0 {
		return p.runtime + task.Addr(p.layout.collection.runtime)
	}
	return s.interp + task.Addr(p.layout.collection.interp)
}

// chain leads from a thread state to its exceptions.
func (l *exceptionLayout) chain(state task.Addr) task.Chain {
	size, fixed := l.next+8, []int{l.value}
	return task.Chain{At: state, Size: max(l.raised, l.handled) + 8, Links: []task.Link{
		{Offset: l.handled, Size: size, Fixed: fixed}, {Offset: l.next, Size: size, Fixed: fixed},
	}}
}

// Meets implements [runtimes.Conditioner].
func (p *Instance) Meets(c runtimes.Condition, id task.ThreadID, evidence []task.CopiedChain, m task.Memory) bool {
	for i := range evidence {
		if evidence[i].Cut || len(evidence[i].Objects) == 0 {
			return false
		}
	}
	switch {
	case len(evidence) == 0:
		return false
	case c == runtimes.HandlesException:
		return p.handles(evidence[0].Objects, m)
	case c == runtimes.CollectsGarbage && (len(evidence) < 2 || binary.LittleEndian.Uint32(evidence[1].Objects[0].Bytes) == 0):
		return false
	}
	return p.holds(id, &evidence[0].Objects[0])
}

// holds reports whether a thread held a GIL. Its mutex is held only while the fields change.
func (p *Instance) holds(id task.ThreadID, gil *task.Object) bool {
	s, ok := p.states[id]
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(gil.Bytes[i:]) }
	return ok && gil.Pointer(gilHolder) == s.at && word(gilLocked) == 1 && word(gilMutex) == 0
}

// handles reports whether a thread state has an exception.
func (p *Instance) handles(objects []task.Object, m task.Memory) bool {
	l := &p.layout.exceptions
	if objects[0].Pointer(l.raised) != 0 {
		return true
	}
	for i := range objects[1:] {
		if v := objects[1+i].Pointer(l.value); v != 0 && !p.isNone(m, v) {
			return true
		}
	}
	return false
}

// isNone reports whether an object is None.
func (p *Instance) isNone(m task.Memory, a task.Addr) bool {
	if a == p.none {
		return true
	}
	kind, err := task.ReadPointer(m, a+task.Addr(p.layout.object.kind), 8)
	if err != nil {
		return false
	}
	at, err := task.ReadPointer(m, kind+task.Addr(p.layout.object.typeName), 8)
	if err != nil {
		return false
	}
	if name, err := task.ReadCString(m, at, 64); err != nil || name != "NoneType" {
		return false
	}
	p.none = a
	return true
}
