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
	fields := []string{imageName(im)}
	if im.Arch != 0 {
		fields = append(fields, "("+im.Arch.String()+")")
	}
	if len(im.ID) > 0 {
		fields = append(fields, "<"+imageID(p.profile.Target.OS, im.ID)+">")
	}
	fields = append(fields, clean(im.Path, maxPath))
	if s := strings.Join(imageMarks(im), ", "); s != "" {
		fields = append(fields, p.doubt("["+s+"]"))
	}
	if im.Generated {
		p.line("%39s  %s", "names of generated code:", strings.Join(fields, " "))
		return
	}
	if !im.Placed() {
		p.line("%39s  %s", "place not known:", strings.Join(fields, " "))
		return
	}
	p.line("%18v - %18v  %s", im.Load, last, strings.Join(fields, " "))
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
