// Package frametable has the tables of strings, functions, locations and mappings that
// pprof and OpenTelemetry profiles refer to by number.
package frametable

import (
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// Tables assigns numbers, from 1 on, to the rows that pprof and OTLP samples refer to;
// string 0 is the empty one. Strings and functions are encoded at first use, locations when
// a sample needs them, and mappings at the end, when their properties are known; each in
// the order of its numbers.
type Tables struct {
	to Encoder

	strings   map[string]int64
	functions map[Function]uint64
	places    map[framePlace]*Place
	locations uint64 // number of locations encoded so far
	mappings  map[*profile.Image]*Mapping
	order     []*Mapping
	OS        task.OS // system of the target; determines the format of image IDs
}

// Encoder writes rows of the tables in one format.
type Encoder interface {
	AddString(s string)
	AddFunction(id uint64, f Function)
	AddLocation(t *Tables, p *Place, m *Mapping)
	AddMapping(t *Tables, m *Mapping)
}

// Function is the key of a function: numbers of strings.
type Function struct{ Name, Raw, File int64 }

// framePlace is the key of a location: a frame with its inlined calls down to one function.
type framePlace struct {
	Outer    *Place // the caller that it is inlined in; nil if it is not inlined
	image    *profile.Image
	Address  task.Addr
	Function uint64
	Line     int
	Column   int
	Type     FrameType
}

// Place is a location that may have a number.
type Place struct {
	framePlace
	ID uint64 // 0: not encoded yet
}

// Mapping is a mapped file and the properties of its functions.
type Mapping struct {
	Image             *profile.Image
	ID                uint64
	Path              int64
	OS                task.OS
	Lines, InlineCall bool // some location has source lines, or inlined calls
}

func New(to Encoder) *Tables {
	t := &Tables{
		to: to, strings: map[string]int64{}, functions: map[Function]uint64{},
		places: map[framePlace]*Place{}, mappings: map[*profile.Image]*Mapping{},
	}
	t.String("") // the first one has to be empty
	return t
}

func (t *Tables) String(s string) int64 {
	i, ok := t.strings[s]
	if !ok {
		i = int64(len(t.strings))
		t.strings[s] = i
		t.to.AddString(s)
	}
	return i
}

func (t *Tables) function(name, raw, file string) uint64 {
	f := Function{t.String(name), t.String(raw), t.String(file)}
	id, ok := t.functions[f]
	if !ok {
		id = uint64(len(t.functions)) + 1
		t.functions[f] = id
		t.to.AddFunction(id, f)
	}
	return id
}

// frame returns the place of a node, which may be inlined in outer.
func (t *Tables) frame(n *profile.Node, outer *Place) *Place {
	if !n.Inlined {
		outer = nil
	}
	address := n.PC
	if n.Return && address > 0 {
		address-- // within the call
	}
	raw := words.Clean(n.Raw, len(n.Raw))
	file := words.Clean(n.File, words.MaxPath)
	return t.place(framePlace{outer, n.Image, address, t.function(words.AreaLabel(n), raw, file), n.Line, n.Column, typeOf(n)})
}

// mark returns the place of a mark: a line of text in a stack that is no frame, and has no
// address.
func (t *Tables) mark(text string) *Place {
	return t.place(framePlace{Function: t.function(text, "", "")})
}

func (t *Tables) place(key framePlace) *Place {
	p, ok := t.places[key]
	if !ok {
		p = &Place{framePlace: key}
		t.places[key] = p
	}
	return p
}

// location returns the number of a place's location, and encodes it on first use.
func (t *Tables) location(p *Place) uint64 {
	if p.ID == 0 {
		t.locations++
		p.ID = t.locations
		m := t.Mapping(p.image)
		for at := p; at != nil; at = at.Outer {
			m.Lines = m.Lines || at.Line > 0
			m.InlineCall = m.InlineCall || at.Outer != nil
		}
		t.to.AddLocation(t, p, m)
	}
	return p.ID
}

// Mapping returns the mapping of an image; for nil, one without a number.
func (t *Tables) Mapping(im *profile.Image) *Mapping {
	if im == nil {
		return &Mapping{}
	}
	m := t.mappings[im]
	if m == nil {
		m = &Mapping{Image: im, ID: uint64(len(t.order)) + 1, OS: t.OS}
		m.Path = t.String(words.Clean(im.Path, words.MaxPath))
		t.mappings[im] = m
		t.order = append(t.order, m)
	}
	return m
}

// Finish encodes the mappings.
func (t *Tables) Finish() {
	for _, m := range t.order {
		t.to.AddMapping(t, m)
	}
}

// Stacks finds the locations of stacks. It is fast for stacks in the order of a tree.
type Stacks struct {
	Tables *Tables
	path   []*profile.Node // the last stack
	places []*Place        // place of each node in path
	ids    []uint64
}

// Of returns the numbers of a stack's locations, innermost first. They are valid until the
// next call.
func (l *Stacks) Of(s *words.Weighed) []uint64 {
	l.ids = l.ids[:0]
	if s.Mark != "" {
		l.ids = append(l.ids, l.Tables.location(l.Tables.mark(s.Mark)))
	} else {
		l.locate(s.Path)
	}
	return l.ids
}

// locate finds the locations of a path. Inlined calls are part of their frame's location.
func (l *Stacks) locate(path []*profile.Node) {
	same := words.SharedPath(path, l.path)
	l.path, l.places = append(l.path[:same], path[same:]...), l.places[:same]
	for i, n := range path[same:] {
		var outer *Place
		if same+i > 0 {
			outer = l.places[same+i-1]
		}
		l.places = append(l.places, l.Tables.frame(n, outer))
	}
	for i := len(path) - 1; i >= 0; i-- {
		if i+1 == len(path) || !path[i+1].Inlined {
			l.ids = append(l.ids, l.Tables.location(l.places[i]))
		}
	}
	if cut := path[0].Cut; cut != nil {
		l.ids = append(l.ids, l.Tables.location(l.Tables.mark(words.CutLabel(cut))))
	}
}
