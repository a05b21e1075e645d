// Package images tells what is mapped where in a process, and names addresses.
package images

import (
	"path"

	"stacksnap/images/object"
	"stacksnap/task"
)

// Image is one file loaded into the target.
type Image struct {
	object.Placed
	// Ranges are the mapped parts, lowest first: more than one where other images
	// lie between them, as in Apple's shared cache.
	Ranges []Range
}

// Range is a part of an image in the target: [Start, End).
type Range struct {
	Start, End task.Addr
	Prot       task.Prot
}

// Name returns the last element of the image's path, empty when it is not known.
func (im *Image) Name() string {
	if im.Path == "" {
		return ""
	}
	return path.Base(im.Path)
}

// End returns the address above the image's highest mapped byte, Load when it
// has no ranges.
func (im *Image) End() task.Addr {
	end := im.Load
	for _, r := range im.Ranges {
		end = max(end, r.End)
	}
	return end
}

// linkEdit is the segment of symbols and the like. It holds no code, and all
// images of Apple's shared cache have one in common.
const linkEdit = "__LINKEDIT"

// newImage derives the ranges from the file's segments.
func newImage(p object.Placed) *Image {
	im := &Image{Placed: p}
	if p.File == nil {
		return im
	}
	for _, s := range p.File.Segments() {
		if s.Name == linkEdit {
			continue
		}
		start := p.Addr(s.VMAddr)
		if s.Size == 0 || s.Prot == 0 || start+task.Addr(s.Size) < start {
			continue // nothing there, or __PAGEZERO
		}
		im.Ranges = append(im.Ranges, Range{start, start + task.Addr(s.Size), s.Prot})
	}
	return im
}
