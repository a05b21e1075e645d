package cfi

import (
	"sync"

	"stacksnap/unwind/rule"
)

// table finds the FDEs of one section.
type table struct {
	section
	header *header // nil when there is none that can be used

	once  sync.Once
	index index
	err   error // what was wrong with an entry that the index lacks
}

// find returns the FDE that covers vmaddr, rule.ErrNone when there is none.
func (t *table) find(vmaddr uint64) (*fde, error) {
	if t.header != nil {
		if f, ok := t.lookUp(vmaddr); ok {
			if !f.contains(vmaddr) {
				return nil, rule.ErrNone
			}
			return f, nil
		}
	}
	t.once.Do(func() { t.index, t.err = newIndex(&t.section) })
	off, ok := t.index.find(vmaddr)
	if ok {
		return t.fdeAt(off)
	}
	if t.err != nil {
		return nil, t.err
	}
	return nil, rule.ErrNone
}

// hinted returns the FDE that hints leads to, if it covers vmaddr. Tables for debuggers
// are not what hints are of.
func (t *table) hinted(q *rule.Query, vmaddr uint64, hints Hints) (*fde, bool) {
	if hints == nil || !t.eh || t.header != nil {
		return nil, false
	}
	off, ok := hints.FDE(q)
	if !ok {
		return nil, false
	}
	f, err := t.fdeAt(off)
	return f, err == nil && f.contains(vmaddr)
}

// lookUp asks the header. It reports false when the header leads astray: then
// only the section itself can be believed.
func (t *table) lookUp(vmaddr uint64) (*fde, bool) {
	at, ok := t.header.find(vmaddr)
	if !ok {
		return &fde{}, true // below the first function: an FDE that covers nothing
	}
	f, err := t.fdeAt(bounded(at-t.VMAddr, len(t.Data)))
	return f, err == nil && f.start <= vmaddr
}
