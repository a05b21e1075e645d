package apple

import (
	"regexp"
	"strconv"
	"sync"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/images/object"
	"stacksnap/task"
)

// inSegment begins the note of an image that the report lists by one of its segments.
const inSegment = "the report has it by its segment "

// spinImageForms match the line of an image, and the versions after its name:
//
//	 0x103ec4000 -  0x104007fff  akd (408.1.0.14)  <UUID>  /System/…/akd
//	 0x109c01000 -          ???  adprivacyd        <UUID>  /usr/libexec/adprivacyd
//	 0x183204000 -  0x1838bffff  libobjc.A.dylib                 /usr/lib/libobjc.A.dylib
//	*0xffff…0000 - 0xffff…ffff   kernel (8020.240) <UUID>__TEXT_EXEC  /System/…/kernel
var spinImageForms = sync.OnceValue(func() (forms struct{ line, versions *regexp.Regexp }) {
	forms.line = regexp.MustCompile(`^ *\*?(0x[0-9a-fA-F]+) +- +(0x[0-9a-fA-F]+|\?\?\?) +(.*?) *(?:<([0-9A-Fa-f-]+)>(\w*))?(?: +(/.*))?$`)
	forms.versions = regexp.MustCompile(`^(.*?)(?: ([0-9][^ ]*))?(?: \(([^()]*)\))?$`)
	return forms
})

// image reads a line of the list of images.
func (r *spinProcessReader) image(line string) {
	line, ok := r.keep(line)
	m := spinImageForms().line.FindStringSubmatch(line)
	if !ok || m == nil {
		return
	}
	load, err := strconv.ParseUint(m[1], 0, 64)
	im := &profile.Image{Load: task.Addr(load), End: task.Addr(load), ID: notation.ParseID(m[4]), Path: m[6]}
	if m[2] == notation.Unknown {
		im.Note = notation.NoEnd
		r.endless[im] = true
	} else if end, endErr := strconv.ParseUint(m[2], 0, 64); endErr != nil || end < load || end+1 == 0 {
		return
	} else {
		im.End = task.Addr(end) + 1
	}
	if m[5] != "" { // the image's header is elsewhere, so this address says nothing about the place of a symbol
		im.ID, im.Note = nil, inSegment+m[5]
	}
	if nameSpinImage(im, m[3], m[4]); err == nil {
		r.list(im)
	}
}

// nameSpinImage sets the name and versions of an image. The name of an unnamed image
// is its UUID, as in frames.
func nameSpinImage(im *profile.Image, name, id string) {
	v := spinImageForms().versions.FindStringSubmatch(name)
	im.Bundle = object.Bundle{ID: v[1], Version: v[2], Build: v[3]}
	if im.Bundle.ID == notation.Unknown {
		im.Bundle.ID = ""
	}
	switch {
	case im.Path == "" && im.Bundle.ID != "":
		im.Path = im.Bundle.ID
	case im.Path == "":
		im.Path = "<" + id + ">"
	}
	if im.Bundle.ID == im.Name() {
		im.Bundle.ID = ""
	}
}
