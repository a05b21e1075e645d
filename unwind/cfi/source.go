package cfi

import (
	"errors"
	"fmt"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Source has the rules of the images' call frame information. The zero value is ready
// for use, by many goroutines at once.
type Source struct {
	// Hints, if not nil, suggests the FDE for a pc in a section without a search
	// table, before all its entries are read.
	Hints Hints

	images rule.PerImage[frames]
}

// Hints returns the offset in its section of the FDE of q.PC. The answer may be
// wrong.
type Hints interface {
	FDE(q *rule.Query) (off int, ok bool)
}

// frames holds the tables of one image.
type frames struct {
	tables []*table
	err    error // why a section cannot be read
}

// Rule implements [rule.Source].
func (s *Source) Rule(q rule.Query) (rule.Rule, error) {
	if q.Image == nil || q.Image.File == nil {
		return rule.Rule{}, rule.ErrNone
	}
	f := s.images.Of(q.Image, (*frames).open)
	vmaddr := q.VMAddr()
	none := rule.ErrNone
	if f.err != nil {
		none = f.err
	}
	for _, t := range f.tables {
		r, err := t.rule(&q, vmaddr, s.Hints)
		if err == nil {
			return r, nil
		}
		if !errors.Is(err, rule.ErrNone) {
			none = err
		}
	}
	return rule.Rule{}, none
}

// open finds the sections: .eh_frame first, which covers all code that runs, then
// .debug_frame, which may be the only one.
func (f *frames) open(im *images.Image) {
	file := im.File
	for _, k := range []object.Kind{object.EHFrame, object.DebugFrame} {
		sec, err := file.Section(k)
		switch {
		case errors.Is(err, object.ErrNoSection):
		case err != nil:
			f.err = fmt.Errorf("call frame information: %w", err)
		case len(sec.Data) > 0:
			f.tables = append(f.tables, newTable(file, k, sec))
		}
	}
}

func newTable(file object.File, k object.Kind, sec object.Section) *table {
	size := file.Arch().PointerSize()
	t := &table{section: section{Section: sec, eh: k == object.EHFrame, pointerSize: size}}
	if !t.eh {
		return t
	}
	_, machO := object.TextSegment(file)
	t.swapped = machO && file.Arch() == task.I386
	if hdr, err := file.Section(object.EHFrameHdr); err == nil {
		// Without a usable header, an index is built instead; nothing else is lost.
		if h, err := newHeader(hdr, size); err == nil {
			t.header = h
		}
	}
	return t
}

// rule answers a query from one section.
func (t *table) rule(q *rule.Query, vmaddr uint64, hints Hints) (rule.Rule, error) {
	f, ok := t.hinted(q, vmaddr, hints)
	if !ok {
		var err error
		if f, err = t.find(vmaddr); err != nil {
			return rule.Rule{}, err
		}
	}
	r, err := t.rowAt(f, vmaddr)
	if err != nil {
		return rule.Rule{}, err
	}
	pc := uint64(q.PC)
	if !q.First {
		pc++
	}
	v := converter{sec: &t.section, arch: q.Arch, pc: pc}
	if f.cie.golang && !t.eh {
		v.completeGo(r, q.Image.File, f)
	}
	return v.rule(r, f.cie)
}
