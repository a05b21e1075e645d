package cli

import (
	"strings"

	"stacksnap/format"
)

// extensions returns the file name extensions of all formats, joined by commas.
func extensions() string {
	var all []string
	for _, f := range format.All() {
		all = append(all, f.Extensions...)
	}
	return strings.Join(all, ", ")
}

// namesOf returns the names of the formats for which wanted returns true.
func namesOf(wanted func(format.Format) bool) (names []string) {
	for _, f := range format.All() {
		if wanted(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func formsThat(wanted func(format.Format) bool) string {
	return "format=" + strings.Join(namesOf(wanted), " format=")
}

// formats returns the names of all formats.
func formats() []string { return namesOf(func(format.Format) bool { return true }) }
