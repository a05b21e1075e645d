package images

import (
	"cmp"
	"slices"

	"stacksnap/images/object"
	"stacksnap/task"
)

// Map finds the image that an address lies in.
type Map struct {
	Images []*Image // in the order in which the loader lists them
	spans  []span   // by start, not overlapping
}

type span struct {
	Range
	image *Image
}

// NewMap makes a map of placed files. Where two claim the same addresses, the
// one that starts later keeps them from there on.
func NewMap(placed []object.Placed) *Map {
	m := &Map{Images: make([]*Image, 0, len(placed))}
	for _, p := range placed {
		im := newImage(p)
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

// Find returns the image that is mapped at a.
func (m *Map) Find(a task.Addr) (*Image, bool) {
	im, _, ok := m.Range(a)
	return im, ok
}

// Range returns the image that is mapped at a, and the part of it.
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

// Main returns the image of the program itself, nil when it is not known.
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
