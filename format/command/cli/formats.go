package cli

import (
	"strings"

	"stacksnap/format"
)

// extensions lists those of all forms.
func extensions() string {
	var all []string
	for _, f := range format.All() {
		all = append(all, f.Extensions...)
	}
	return strings.Join(all, ", ")
}

// namesOf are the names of some forms, and formsThat has them as rules do.
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

// formats are the names of the forms.
func formats() []string { return namesOf(func(format.Format) bool { return true }) }
