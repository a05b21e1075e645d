// Package images maps the addresses of a process to the files mapped there, and to
// function names.
package images

import (
	"path"

	"stacksnap/images/object"
	"stacksnap/task"
)

// Image is a file mapped in the target.
type Image struct {
	object.Placed
	// Ranges are the mapped parts, lowest first. There are several where other images
	// are in between, as in Apple's shared cache.
	Ranges []Range
}

// Range is a mapped part of an image: [Start, End).
type Range struct {
	Start, End task.Addr
	Prot       task.Prot
}

// Name returns the last element of the image's path, "" if the path is not known.
func (im *Image) Name() string {
	if im.Path == "" {
		return ""
	}
	return path.Base(im.Path)
}

// End returns the address after the image's highest mapped byte, or Load if it has no
// ranges.
func (im *Image) End() task.Addr {
	end := im.Load
	for _, r := range im.Ranges {
		end = max(end, r.End)
	}
	return end
}

// linkEdit is the segment of symbols and relocations. It has no code, and all images
// of Apple's shared cache share one.
const linkEdit = "__LINKEDIT"

// newImage returns an image whose ranges are the file's segments.
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
			continue // empty, or __PAGEZERO
		}
		im.Ranges = append(im.Ranges, Range{start, start + task.Addr(s.Size), s.Prot})
	}
	return im
}
