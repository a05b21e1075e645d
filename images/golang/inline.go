package golang

import "stacksnap/images/object"

// inlines tells how the inlined calls of a table are to be read.
type inlines struct {
	*scheme
	base uint64 // the vmaddr that funcdata are from
}

// scheme is one way in which inlined calls are written (struct inlinedCall of
// runtime/symtab.go, later symtabinl.go; the numbers of runtime/funcdata.h).
type scheme struct {
	pcdata, funcdata int  // PCDATA_InlTreeIndex, FUNCDATA_InlTree
	size             int  // bytes of a call
	name             int  // where in a call the offset of the name is
	parentPC         int  // where the distance of an instruction of its caller is; 0: there is none
	wordCount        bool // the number of funcdata is a word
}

// schemes are those of each layout of the table. Go 1.2 to 1.8 have none.
var schemes = map[int][]scheme{
	go120: {{pcdata: 2, funcdata: 3, size: 16, name: 4, parentPC: 8}},
	go118: {{pcdata: 2, funcdata: 3, size: 20, name: 12, parentPC: 16}},
	go116: {{pcdata: 2, funcdata: 3, size: 20, name: 12, parentPC: 16}},
	go12: {
		{pcdata: 2, funcdata: 4, size: 20, name: 12, parentPC: 16},    // since Go 1.13
		{pcdata: 1, funcdata: 2, size: 20, name: 12, parentPC: 16},    // 1.12
		{pcdata: 1, funcdata: 2, size: 16, name: 12, wordCount: true}, // 1.9
	},
}

// Bounds of the proof that inlined calls are read rightly.
const (
	maxTried    = 512 // functions, spread over the table
	wantedTrees = 16
	maxCalls    = 256 // in one function, that are looked at
)

// findInlines finds how and where inlined calls are: what is tried is believed when
// the calls of many functions make sense.
func (t *Table) findInlines() *inlines {
	bases := []uint64{0}
	if t.version >= go118 {
		m := t.module()
		if m == nil {
			return nil
		}
		bases = m.gofs
	}
	for i := range schemes[t.version] {
		for _, base := range bases {
			if in := (&inlines{&schemes[t.version][i], base}); in.proven(t) {
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

// last returns the largest number of an inlined call in a function, -1 for none.
func (in *inlines) last(f *function) int32 {
	last := int32(-1)
	if at, ok := f.pcdataAt(in.pcdata); ok {
		for v := f.t.valuesAt(at); v.next(); {
			last = max(last, v.value)
		}
	}
	return last
}

// makesSense reports whether the calls up to the last one are such.
func (in *inlines) makesSense(f *function, last int32) bool {
	for i := range min(last, maxCalls) + 1 {
		c, ok := in.call(f, i)
		if !ok || !f.t.isName(c.name) || c.parentPC >= f.size || c.parent >= i {
			return false
		}
	}
	return true
}

// isName reports whether a name begins at an offset.
func (t *Table) isName(at uint64) bool {
	return at < uint64(len(t.names)) && t.names[at] > ' ' && (at == 0 || t.names[at-1] == 0)
}

// call is an inlined call.
type call struct {
	name uint64 // its offset
	// Where in its function the caller is. Before Go 1.12 its own number and place,
	// -1 for the function itself.
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

// maxNested is how many calls within each other are told.
const maxNested = 256

// Source returns the function that vmaddr is in and where it is in the source, last,
// and before it the calls that were inlined there, the innermost first; nil where the
// table has no function. Where the inlined calls cannot be read it tells no line: that
// would be of another function.
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

// inlined returns the calls that are inlined at a distance from a function's start, and
// where the function is in its source then. It is false where they cannot be read.
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

// mayBeInlined reports whether the code at a distance may be of an inlined call, where it
// is not known how those are to be read.
func (f *function) mayBeInlined(at uint64) bool {
	for _, s := range schemes[f.t.version] {
		if f.pcdata(s.pcdata, at) >= 0 {
			return true
		}
	}
	return false
}
