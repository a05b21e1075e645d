package text

import (
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/images/dyld"
	"stacksnap/task"
)

// maxUnnamed is the maximum number of images without names that are listed.
const maxUnnamed = 3

// unnamed lists the images with functions that have no name, and the flags that would help.
// It leaves out Apple's own images, whose symbols are not available.
func (p *printer) unnamed() {
	list := slices.DeleteFunc(p.Profile.Unnamed(), func(im *profile.Image) bool {
		return p.Profile.Target.OS == task.Darwin && dyld.IsApples(im.Path)
	})
	if len(list) == 0 {
		return
	}
	var names []string
	by := ""
	for _, im := range list[:min(len(list), maxUnnamed)] {
		names = append(names, words.ImageName(im)+" "+p.shortID(im))
		if len(im.ID) > 0 {
			by = "; " + p.finders() + " for them by " + p.idName()
		}
	}
	if n := len(list) - maxUnnamed; n > 0 {
		names = append(names, words.Plural(n, "more image"))
	}
	p.Text("", 2, fmt.Sprintf("Without names: functions in %s%s", enumerate(names), by))
}

// idName returns the system's term for the ID of an image.
func (p *printer) idName() string {
	if p.Profile.Target.OS == task.Darwin {
		return "UUID"
	}
	return "build-id"
}

// finders returns the flags that look up files by ID.
func (p *printer) finders() string {
	if p.Profile.Target.OS == task.Darwin {
		return "--symbols PATH looks"
	}
	return "--symbols PATH or --debuginfod look"
}

// shortID returns the first digits of an ID.
func (p *printer) shortID(im *profile.Image) string {
	const digits = 8
	id := words.ImageID(p.Profile.Target.OS, im.ID)
	switch {
	case id == "":
		return "(no " + p.idName() + ")"
	case len(id) > digits:
		return id[:digits] + "…"
	}
	return id
}

// enumerate joins words with commas, and "and" before the last.
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
