package golang

import (
	"sync"

	"stacksnap/images/object"
)

// inlines says how to read the inlined calls of a table.
type inlines struct {
	*scheme
	base uint64 // the vmaddr that funcdata offsets are relative to
}

// scheme is one encoding of inlined calls (struct inlinedCall of runtime/symtab.go,
// later symtabinl.go; the indices of runtime/funcdata.h).
type scheme struct {
	pcdata, funcdata int  // PCDATA_InlTreeIndex, FUNCDATA_InlTree
	size             int  // of a call, in bytes
	name             int  // offset in a call of the name's offset
	parentPC         int  // offset in a call of the caller's pc distance; 0: none
	wordCount        bool // the funcdata count is a word
}

// schemes are the possible encodings for each layout. Go 1.2 to 1.8 have no inlined
// calls.
var schemes = sync.OnceValue(func() map[int][]scheme {
	return map[int][]scheme{
		go120: {{pcdata: 2, funcdata: 3, size: 16, name: 4, parentPC: 8}},
		go118: {{pcdata: 2, funcdata: 3, size: 20, name: 12, parentPC: 16}},
		go116: {{pcdata: 2, funcdata: 3, size: 20, name: 12, parentPC: 16}},
		go12: {
			{pcdata: 2, funcdata: 4, size: 20, name: 12, parentPC: 16},    // since Go 1.13
			{pcdata: 1, funcdata: 2, size: 20, name: 12, parentPC: 16},    // 1.12
			{pcdata: 1, funcdata: 2, size: 16, name: 12, wordCount: true}, // 1.9
		},
	}
})

// Limits of the check that inlined calls are decoded correctly.
const (
	maxTried    = 512 // functions, spread over the table
	wantedTrees = 16
	maxCalls    = 256 // calls checked in one function
)

// findInlines finds the scheme and base of inlined calls, by trying which of them
// decodes valid calls in many functions.
func (t *Table) findInlines() *inlines {
	bases := []uint64{0}
	if t.version >= go118 {
		m := t.module()
		if m == nil {
			return nil
		}
		bases = m.gofs
	}
	for i := range schemes()[t.version] {
		for _, base := range bases {
			if in := (&inlines{&schemes()[t.version][i], base}); in.proven(t) {
				return in
			}
		}
	}
	return nil
}

func (in *inlines) proven(t *Table) bool {
	right, wrong := 0, 0
	step := max(1, t.count/maxTried)
	for i := 0; i < t.count && right < wantedTrees && wrong <= wantedTrees; i += step {
		f, ok := t.function(i)
		if !ok {
			continue
		}
		last := in.last(&f)
		if last < 0 {
			continue
		}
		if in.makesSense(&f, last) {
			right++
		} else {
			wrong++
		}
	}
	return right > 0 && right > 10*wrong
}

// last returns the largest index of an inlined call in a function, -1 for none.
func (in *inlines) last(f *function) int32 {
	last := int32(-1)
	if at, ok := f.pcdataAt(in.pcdata); ok {
		for v := f.t.valuesAt(at); v.next(); {
			last = max(last, v.value)
		}
	}
	return last
}

// makesSense reports whether the calls up to index last are valid.
func (in *inlines) makesSense(f *function, last int32) bool {
	for i := range min(last, maxCalls) + 1 {
		c, ok := in.call(f, i)
		if !ok || !f.t.isName(c.name) || c.parentPC >= f.size || c.parent >= i {
			return false
		}
	}
	return true
}

// isName reports whether a name starts at an offset.
func (t *Table) isName(at uint64) bool {
	return at < uint64(len(t.names)) && t.names[at] > ' ' && (at == 0 || t.names[at-1] == 0)
}

// call is an inlined call.
type call struct {
	name uint64 // offset of its name
	// Where in its function the caller is: a pc, or before Go 1.12 the caller's index
	// and position. -1: the function itself.
	parentPC   uint64
	parent     int32
	file, line int32
}

// call reads the i-th inlined call of a function.
func (in *inlines) call(f *function, i int32) (c call, ok bool) {
	at, ok := f.funcdata(in.funcdata, in.wordCount)
	if !ok || i < 0 {
		return c, false
	}
	var b [20]byte
	if n, _ := f.t.of.Code(b[:in.size], in.base+at+uint64(i)*uint64(in.size)); n < in.size {
		return c, false
	}
	word := func(at int) uint32 { return f.t.order.Uint32(b[at:]) }
	c.name, c.parent = uint64(word(in.name)), -1
	if in.parentPC != 0 {
		c.parentPC = uint64(word(in.parentPC))
	} else {
		c.parent, c.file, c.line = int32(word(0)), int32(word(4)), int32(word(8))
	}
	return c, true
}

// maxNested is the maximum depth of nested inlined calls.
const maxNested = 256

// Source returns the calls inlined at vmaddr, the innermost first, and last the
// function itself; nil if the table has no function there. If the inlined calls
// cannot be read, the line is left out, because it would be in another function.
func (t *Table) Source(vmaddr uint64) []object.Source {
	f, ok := t.find(vmaddr)
	if !ok {
		return nil
	}
	name := f.name()
	if name == "" {
		return nil
	}
	frames, outer, ok := f.inlined(vmaddr - t.base - f.start)
	if !ok {
		frames, outer = nil, object.Source{}
	}
	outer.Function, outer.Low, outer.High = name, t.base+f.start, t.base+f.start+f.size
	return append(frames, outer)
}

// inlined returns the calls inlined at a distance from a function's start, and the
// position in the function itself. It reports false if they cannot be read.
func (f *function) inlined(at uint64) (frames []object.Source, outer object.Source, ok bool) {
	outer.File, outer.Line = f.site(at)
	in := f.t.inlines()
	if in == nil {
		return nil, outer, !f.mayBeInlined(at)
	}
	number := f.pcdata(in.pcdata, at)
	for len(frames) < maxNested && number >= 0 {
		c, ok := in.call(f, number)
		if !ok || !f.t.isName(c.name) || c.parentPC >= f.size || c.parent >= number {
			return nil, outer, false
		}
		frames = append(frames, outer)
		frames[len(frames)-1].Function = text(f.t.names, c.name)
		if in.parentPC != 0 {
			outer.File, outer.Line = f.site(c.parentPC)
			number = f.pcdata(in.pcdata, c.parentPC)
		} else {
			outer.File, outer.Line = f.file(c.file), int(c.line)
			number = c.parent
		}
	}
	return frames, outer, number < 0
}

// mayBeInlined reports whether the code at a distance may be of an inlined call, when
// the scheme is not known.
func (f *function) mayBeInlined(at uint64) bool {
	for _, s := range schemes()[f.t.version] {
		if f.pcdata(s.pcdata, at) >= 0 {
			return true
		}
	}
	return false
}
