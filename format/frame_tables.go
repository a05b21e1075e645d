package format

import (
	"stacksnap/format/profile"
	"stacksnap/task"
)

// frameTables are what samples of pprof and OTLP refer to by number, counted from 1,
// strings from 0, which is the empty one. Strings and functions are encoded when they
// are met first, locations when a sample needs them, and mappings at the end, when it is
// known what they have; each in the order of its numbers.
type frameTables struct {
	to frameEncoder

	strings   map[string]int64
	functions map[frameFunction]uint64
	places    map[framePlace]*place
	locations uint64 // that were encoded
	mappings  map[*profile.Image]*mapping
	order     []*mapping
	os        task.OS // whose ways images are told in
}

// frameEncoder writes the rows of the tables in a form.
type frameEncoder interface {
	string(s string)
	function(id uint64, f frameFunction)
	location(p *place, m *mapping)
	mapping(t *frameTables, m *mapping)
}

// frameFunction is what makes functions the same one.
type frameFunction struct{ name, raw, file int64 }

// framePlace is what makes two frames the same location: a frame, with what is
// inlined there down to one function.
type framePlace struct {
	outer    *place // what it is inlined in; nil for a frame
	image    *profile.Image
	address  task.Addr
	function uint64
	line     int
	column   int
}

// place is a location, which may have a number.
type place struct {
	framePlace
	id uint64 // 0: no sample needs it yet
}

// mapping is a file that is mapped, and what is known of its functions.
type mapping struct {
	image             *profile.Image
	id                uint64
	path              int64
	os                task.OS
	lines, inlineCall bool // of any location
}

func newFrameTables(to frameEncoder) *frameTables {
	t := &frameTables{
		to: to, strings: map[string]int64{}, functions: map[frameFunction]uint64{},
		places: map[framePlace]*place{}, mappings: map[*profile.Image]*mapping{},
	}
	t.string("") // the first one has to be empty
	return t
}

func (t *frameTables) string(s string) int64 {
	i, ok := t.strings[s]
	if !ok {
		i = int64(len(t.strings))
		t.strings[s] = i
		t.to.string(s)
	}
	return i
}

func (t *frameTables) function(name, raw, file string) uint64 {
	f := frameFunction{t.string(name), t.string(raw), t.string(file)}
	id, ok := t.functions[f]
	if !ok {
		id = uint64(len(t.functions)) + 1
		t.functions[f] = id
		t.to.function(id, f)
	}
	return id
}

// frame is the place of a node, or of what is inlined at another.
func (t *frameTables) frame(n *profile.Node, outer *place) *place {
	if !n.Inlined {
		outer = nil
	}
	address := n.PC
	if n.Return && address > 0 {
		address-- // within the call
	}
	raw := clean(n.Raw, len(n.Raw))
	file := clean(n.File, maxPath)
	return t.place(framePlace{outer, n.Image, address, t.function(areaLabel(n), raw, file), n.Line, n.Column})
}

// mark is the place that a mark stands for, which has no address.
func (t *frameTables) mark(text string) *place {
	return t.place(framePlace{function: t.function(text, "", "")})
}

func (t *frameTables) place(key framePlace) *place {
	p, ok := t.places[key]
	if !ok {
		p = &place{framePlace: key}
		t.places[key] = p
	}
	return p
}

// location returns the number of a place's location.
func (t *frameTables) location(p *place) uint64 {
	if p.id == 0 {
		t.locations++
		p.id = t.locations
		m := t.mapping(p.image)
		for at := p; at != nil; at = at.outer {
			m.lines = m.lines || at.line > 0
			m.inlineCall = m.inlineCall || at.outer != nil
		}
		t.to.location(p, m)
	}
	return p.id
}

// mapping returns that of an image; one without a number for none.
func (t *frameTables) mapping(im *profile.Image) *mapping {
	if im == nil {
		return &mapping{}
	}
	m := t.mappings[im]
	if m == nil {
		m = &mapping{image: im, id: uint64(len(t.order)) + 1, os: t.os}
		m.path = t.string(clean(im.Path, maxPath))
		t.mappings[im] = m
		t.order = append(t.order, m)
	}
	return m
}

// finish encodes all images that were met.
func (t *frameTables) finish() {
	for _, m := range t.order {
		t.to.mapping(t, m)
	}
}

// stackPlaces finds the locations of stacks, of which one follows the other in the
// order of a tree.
type stackPlaces struct {
	tables *frameTables
	path   []*profile.Node // of the last stack
	places []*place        // of each of its nodes
	ids    []uint64
}

// of returns the numbers of a stack's locations, the innermost first, which are good
// until the next is asked for.
func (l *stackPlaces) of(s *weighed) []uint64 {
	l.ids = l.ids[:0]
	if s.mark != "" {
		l.ids = append(l.ids, l.tables.location(l.tables.mark(s.mark)))
	} else {
		l.locate(s.path)
	}
	return l.ids
}

// locate finds the locations of a path. What is inlined at a frame is in the frame's
// location.
func (l *stackPlaces) locate(path []*profile.Node) {
	same := shared(path, l.path)
	l.path, l.places = append(l.path[:same], path[same:]...), l.places[:same]
	for i, n := range path[same:] {
		var outer *place
		if same+i > 0 {
			outer = l.places[same+i-1]
		}
		l.places = append(l.places, l.tables.frame(n, outer))
	}
	for i := len(path) - 1; i >= 0; i-- {
		if i+1 == len(path) || !path[i+1].Inlined {
			l.ids = append(l.ids, l.tables.location(l.places[i]))
		}
	}
	if cut := path[0].Cut; cut != nil {
		l.ids = append(l.ids, l.tables.location(l.tables.mark(cutLabel(cut))))
	}
}
