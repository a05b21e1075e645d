package text

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// images lists the files that contain frames. The end of each is the last byte of its code,
// as in Apple's reports.
func (p *printer) images() {
	if len(p.Profile.Images) == 0 {
		return
	}
	p.Line("")
	p.Line("Binary Images:")
	for _, im := range p.Profile.Images {
		p.image(im)
	}
}

// oddImages lists only the images with problems, without addresses.
func (p *printer) oddImages() {
	titled := false
	for _, im := range p.Profile.Images {
		if len(imageMarks(im)) == 0 {
			continue
		}
		if !titled {
			p.Line("")
			p.Line("Images with something missing or odd:")
			titled = true
		}
		p.Text("  ", 6, p.file(im))
	}
}

func (p *printer) image(im *profile.Image) {
	last := im.End
	if last > im.Load {
		last--
	}
	switch {
	case im.Runtime:
		p.Line("%39s  %s", "functions read from:", words.ImageName(im))
	case im.Generated:
		p.Line("%39s  %s", "names of generated code:", p.file(im))
	case !im.Placed():
		p.Line("%39s  %s", "place not known:", p.file(im))
	default:
		p.Line("%18s - %18s  %s", im.Load.String(), last.String(), p.file(im))
	}
}

// file describes the file of an image, with marks for problems.
func (p *printer) file(im *profile.Image) string {
	text := words.ImageName(im)
	if im.Arch != 0 {
		text += " (" + im.Arch.String() + ")"
	}
	if len(im.ID) > 0 {
		text += " <" + words.ImageID(p.Profile.Target.OS, im.ID) + ">"
	}
	text += " " + words.Word(im.Path, words.MaxPath)
	if marks := imageMarks(im); len(marks) > 0 {
		text += " " + p.Doubt("["+strings.Join(marks, ", ")+"]")
	}
	return text
}

// imageMarks returns the reasons why functions of an image may be missing or wrong.
func imageMarks(im *profile.Image) []string {
	var marks []string
	if im.Note != "" {
		marks = append(marks, words.Clean(im.Note, words.MaxText))
	}
	switch {
	case im.Err != "":
		marks = append(marks, "unreadable: "+words.Clean(im.Err, words.MaxText))
	case !im.Symbols:
		marks = append(marks, "no symbols")
	}
	return marks
}
