// Package frametable has the tables of strings, functions, locations and mappings that
// profiles of pprof and OpenTelemetry refer to by number.
package frametable

import (
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// Tables are what samples of pprof and OTLP refer to by number, counted from 1,
// strings from 0, which is the empty one. Strings and functions are encoded when they
// are met first, locations when a sample needs them, and mappings at the end, when it is
// known what they have; each in the order of its numbers.
type Tables struct {
	to Encoder

	strings   map[string]int64
	functions map[Function]uint64
	places    map[framePlace]*Place
	locations uint64 // that were encoded
	mappings  map[*profile.Image]*Mapping
	order     []*Mapping
	OS        task.OS // of the target: decides how an image ID is written
}

// Encoder writes the rows of the tables in a form.
type Encoder interface {
	AddString(s string)
	AddFunction(id uint64, f Function)
	AddLocation(p *Place, m *Mapping)
	AddMapping(t *Tables, m *Mapping)
}

// Function is what makes functions the same one.
type Function struct{ Name, Raw, File int64 }

// framePlace is what makes two frames the same location: a frame, with what is
// inlined there down to one function.
type framePlace struct {
	Outer    *Place // what it is inlined in; nil for a frame
	image    *profile.Image
	Address  task.Addr
	Function uint64
	Line     int
	Column   int
}

// Place is a location, which may have a number.
type Place struct {
	framePlace
	ID uint64 // 0: no sample needs it yet
}

// Mapping is a file that is mapped, and what is known of its functions.
type Mapping struct {
	Image             *profile.Image
	ID                uint64
	Path              int64
	OS                task.OS
	Lines, InlineCall bool // of any location
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

// frame is the place of a node, or of what is inlined at another.
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
	return t.place(framePlace{outer, n.Image, address, t.function(words.AreaLabel(n), raw, file), n.Line, n.Column})
}

// mark is the place that a mark stands for, which has no address.
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

// location returns the number of a place's location.
func (t *Tables) location(p *Place) uint64 {
	if p.ID == 0 {
		t.locations++
		p.ID = t.locations
		m := t.Mapping(p.image)
		for at := p; at != nil; at = at.Outer {
			m.Lines = m.Lines || at.Line > 0
			m.InlineCall = m.InlineCall || at.Outer != nil
		}
		t.to.AddLocation(p, m)
	}
	return p.ID
}

// Mapping returns that of an image; one without a number for none.
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

// Finish encodes all images that were met.
func (t *Tables) Finish() {
	for _, m := range t.order {
		t.to.AddMapping(t, m)
	}
}

// Stacks finds the locations of stacks, of which one follows the other in the
// order of a tree.
type Stacks struct {
	Tables *Tables
	path   []*profile.Node // of the last stack
	places []*Place        // of each of its nodes
	ids    []uint64
}

// Of returns the numbers of a stack's locations, the innermost first, which are good
// until the next is asked for.
func (l *Stacks) Of(s *words.Weighed) []uint64 {
	l.ids = l.ids[:0]
	if s.Mark != "" {
		l.ids = append(l.ids, l.Tables.location(l.Tables.mark(s.Mark)))
	} else {
		l.locate(s.Path)
	}
	return l.ids
}

// locate finds the locations of a path. What is inlined at a frame is in the frame's
// location.
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
