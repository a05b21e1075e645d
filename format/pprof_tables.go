package format

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// pprofTables are what samples refer to by number. Strings and functions are written
// when they are met first, locations when a sample needs them, and mappings at the
// end, when it is known what they have.
type pprofTables struct {
	emit func(field int, m message)

	strings   map[string]int64
	functions map[pprofFunction]uint64
	places    map[pprofPlace]*place
	locations uint64 // that were written
	mappings  map[*profile.Image]*mapping
	order     []*mapping
	os        task.OS // whose ways images are told in
	scratch   message
}

// pprofFunction is what makes functions the same one.
type pprofFunction struct{ name, raw, file int64 }

// pprofPlace is what makes two frames the same location: a frame, with what is
// inlined there down to one function.
type pprofPlace struct {
	outer    *place // what it is inlined in; nil for a frame
	image    *profile.Image
	address  task.Addr
	function uint64
	line     int
	column   int
}

// place is a location, which may have a number.
type place struct {
	pprofPlace
	id uint64 // 0: no sample needs it yet
}

// mapping is a file that is mapped, and what is known of its functions.
type mapping struct {
	image             *profile.Image
	id                uint64
	path, buildID     int64
	lines, inlineCall bool // of any location
}

func newPprofTables(emit func(int, message)) *pprofTables {
	t := &pprofTables{
		emit: emit, strings: map[string]int64{}, functions: map[pprofFunction]uint64{},
		places: map[pprofPlace]*place{}, mappings: map[*profile.Image]*mapping{},
	}
	t.string("") // the first one has to be empty
	return t
}

func (t *pprofTables) string(s string) int64 {
	i, ok := t.strings[s]
	if !ok {
		i = int64(len(t.strings))
		t.strings[s] = i
		t.emit(pprofString, message(s))
	}
	return i
}

func (t *pprofTables) function(name, raw, file string) uint64 {
	f := pprofFunction{t.string(name), t.string(raw), t.string(file)}
	id, ok := t.functions[f]
	if !ok {
		id = uint64(len(t.functions)) + 1
		t.functions[f] = id
		t.scratch = t.scratch[:0].number(1, id).signed(2, f.name).signed(3, f.raw).signed(4, f.file)
		t.emit(pprofFunctions, t.scratch)
	}
	return id
}

// frame is the place of a node, or of what is inlined at another.
func (t *pprofTables) frame(n *profile.Node, outer *place) *place {
	if !n.Inlined {
		outer = nil
	}
	address := n.PC
	if n.Return && address > 0 {
		address-- // within the call
	}
	raw := clean(n.Raw, len(n.Raw))
	file := clean(n.File, maxPath)
	return t.place(pprofPlace{outer, n.Image, address, t.function(areaLabel(n), raw, file), n.Line, n.Column})
}

// mark is the place that a mark stands for, which has no address.
func (t *pprofTables) mark(text string) *place {
	return t.place(pprofPlace{function: t.function(text, "", "")})
}

func (t *pprofTables) place(key pprofPlace) *place {
	p, ok := t.places[key]
	if !ok {
		p = &place{pprofPlace: key}
		t.places[key] = p
	}
	return p
}

// location returns the number of a place's location.
func (t *pprofTables) location(p *place) uint64 {
	if p.id == 0 {
		t.locations++
		p.id = t.locations
		t.writeLocation(p)
	}
	return p.id
}

// writeLocation writes the lines from the innermost function out.
func (t *pprofTables) writeLocation(p *place) {
	m := t.mapping(p.image)
	body := message(nil).number(1, p.id).number(2, m.id).number(3, uint64(p.address))
	for at := p; at != nil; at = at.outer {
		line := message(nil).number(1, at.function).signed(2, int64(at.line)).signed(3, int64(at.column))
		body = body.inner(4, line)
		m.lines = m.lines || at.line > 0
		m.inlineCall = m.inlineCall || at.outer != nil
	}
	t.emit(pprofLocation, body)
}

// mapping returns that of an image; one without a number for none.
func (t *pprofTables) mapping(im *profile.Image) *mapping {
	if im == nil {
		return &mapping{}
	}
	m := t.mappings[im]
	if m == nil {
		m = &mapping{image: im, id: uint64(len(t.order)) + 1}
		m.path, m.buildID = t.string(clean(im.Path, maxPath)), t.string(imageID(t.os, im.ID))
		t.mappings[im] = m
		t.order = append(t.order, m)
	}
	return m
}

// writeMappings writes all images that were met.
func (t *pprofTables) writeMappings() {
	for _, m := range t.order {
		t.scratch = t.scratch[:0].number(1, m.id).number(2, uint64(m.image.Load)).number(3, uint64(m.image.End)).
			signed(5, m.path).signed(6, m.buildID).
			flag(7, m.image.Symbols).flag(8, m.lines).flag(9, m.lines).flag(10, m.inlineCall)
		t.emit(pprofMapping, t.scratch)
	}
}
