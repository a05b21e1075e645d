package elf

import "stacksnap/images/object"

// view is a File at one of the places where it is mapped.
type view struct {
	*File
	segments []object.Segment
	shared   bool // another image closes the File
}

// Segments returns the segments mapped at this place.
func (v *view) Segments() []object.Segment { return v.segments }

func (v *view) Close() error {
	if v.shared {
		return nil
	}
	return v.File.Close()
}
