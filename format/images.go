package format

import (
	"strings"

	"stacksnap/format/profile"
)

// images lists the files in which the frames lie. The end is that of the code,
// its last byte, as in Apple's reports.
func (p *printer) images() {
	if len(p.profile.Images) == 0 {
		return
	}
	p.line("")
	p.line("Binary Images:")
	for _, im := range p.profile.Images {
		p.image(im)
	}
}

func (p *printer) image(im *profile.Image) {
	last := im.End
	if last > im.Load {
		last--
	}
	switch {
	case im.Generated:
		p.line("%39s  %s", "names of generated code:", p.file(im))
	case !im.Placed():
		p.line("%39s  %s", "place not known:", p.file(im))
	default:
		p.line("%18s - %18s  %s", im.Load.String(), last.String(), p.file(im))
	}
}

// file says which file an image is, and what is odd about it.
func (p *printer) file(im *profile.Image) string {
	text := imageName(im)
	if im.Arch != 0 {
		text += " (" + im.Arch.String() + ")"
	}
	if len(im.ID) > 0 {
		text += " <" + imageID(p.profile.Target.OS, im.ID) + ">"
	}
	text += " " + word(im.Path, maxPath)
	if marks := imageMarks(im); len(marks) > 0 {
		text += " " + p.doubt("["+strings.Join(marks, ", ")+"]")
	}
	return text
}

// imageMarks say why functions of an image may be missing or wrong.
func imageMarks(im *profile.Image) []string {
	var marks []string
	if im.Note != "" {
		marks = append(marks, clean(im.Note, maxText))
	}
	switch {
	case im.Err != "":
		marks = append(marks, "unreadable: "+clean(im.Err, maxText))
	case !im.Symbols:
		marks = append(marks, "no symbols")
	}
	return marks
}
