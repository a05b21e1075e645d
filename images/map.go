package images

import (
	"cmp"
	"slices"

	"stacksnap/images/dyld"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Map finds the image at an address.
type Map struct {
	Images []*Image // in the order of the loader's list
	// Cache is the shared cache of a Darwin process; nil if none is mapped.
	Cache     *SharedCache
	spans     []span // sorted by start, without overlap
	generated *Image // names code outside all images; nil: none
	budget    *object.Budget
}

// SharedCache says where dyld's shared cache is mapped in a process.
type SharedCache struct {
	UUID  [16]byte
	Base  task.Addr
	Slide uint64 // Base − the address that the cache was built for, modulo 2^64
}

type span struct {
	Range
	image *Image
}

// NewMap returns a map of placed files. Where ranges overlap, the later start wins
// from there on.
func NewMap(placed []object.Placed) *Map {
	m := &Map{Images: make([]*Image, 0, len(placed))}
	for _, p := range placed {
		im := newImage(p)
		if p.Generated {
			m.generated = im
			continue
		}
		m.Images = append(m.Images, im)
		for _, r := range im.Ranges {
			m.spans = append(m.spans, span{r, im})
		}
	}
	slices.SortStableFunc(m.spans, func(a, b span) int { return cmp.Compare(a.Start, b.Start) })
	for i := range len(m.spans) - 1 {
		m.spans[i].End = min(m.spans[i].End, m.spans[i+1].Start)
	}
	return m
}

// WithGenerated returns a copy of the map that names generated code by p.
func (m *Map) WithGenerated(p object.Placed) *Map {
	with := *m
	with.generated = newImage(p)
	return &with
}

// Generated returns the image that names generated code, nil if there is none.
func (m *Map) Generated() *Image { return m.generated }

// GeneratedAt returns the image that names generated code if it may have a name for
// a.
func (m *Map) GeneratedAt(a task.Addr) (*Image, bool) {
	g := m.generated
	if g == nil || g.File == nil {
		return nil, false
	}
	if _, ok := m.Find(a); ok {
		return nil, false
	}
	i, found := slices.BinarySearchFunc(g.Ranges, a, func(r Range, a task.Addr) int { return cmp.Compare(r.Start, a) })
	if !found {
		i--
	}
	return g, i >= 0 && a < g.Ranges[i].End
}

// NewDarwinMap returns a map of the images that dyld loaded, with the shared cache.
func NewDarwinMap(l dyld.Loaded) *Map {
	m := NewMap(l.Images)
	m.budget = l.Budget
	if c := &l.Infos.Cache; c.Mapped() {
		m.Cache = &SharedCache{c.UUID, c.Base, c.Slide}
	}
	return m
}

// Short reports whether tables were left out because the files of the process exceed
// the budget.
func (m *Map) Short() bool { return m.budget.Reached() }

// Find returns the image mapped at a.
func (m *Map) Find(a task.Addr) (*Image, bool) {
	im, _, ok := m.Range(a)
	return im, ok
}

// Range returns the image mapped at a and the range that contains a.
func (m *Map) Range(a task.Addr) (*Image, Range, bool) {
	i, found := slices.BinarySearchFunc(m.spans, a, func(s span, a task.Addr) int { return cmp.Compare(s.Start, a) })
	if !found {
		i--
	}
	if i < 0 || a >= m.spans[i].End {
		return nil, Range{}, false
	}
	return m.spans[i].image, m.spans[i].Range, true
}

// Main returns the image of the program itself, nil if it is not known.
func (m *Map) Main() *Image {
	for _, im := range m.Images {
		if im.Main {
			return im
		}
	}
	return nil
}

// Close closes the images' files.
func (m *Map) Close() error {
	var first error
	for _, im := range m.Images {
		if im.File == nil {
			continue
		}
		if err := im.File.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
