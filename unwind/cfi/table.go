package cfi

import (
	"sync"

	"stacksnap/unwind/rule"
)

// table finds FDEs in one section.
type table struct {
	section
	header *header // nil if there is none that is usable

	once  sync.Once
	index index
	err   error // the error of the first entry missing from index
}

// find returns the FDE that covers vmaddr, or rule.ErrNone.
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

// hinted returns the FDE that hints suggests, if it covers vmaddr. Hints are for
// .eh_frame only.
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

// lookUp searches the header. It reports false when the header points to a wrong FDE;
// then the section itself has to be searched.
func (t *table) lookUp(vmaddr uint64) (*fde, bool) {
	at, ok := t.header.find(vmaddr)
	if !ok {
		return &fde{}, true // below the first function: an FDE that covers no code
	}
	f, err := t.fdeAt(bounded(at-t.VMAddr, len(t.Data)))
	return f, err == nil && f.start <= vmaddr
}
