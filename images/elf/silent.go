package elf

import (
	"fmt"
	"strings"

	"stacksnap/task/files"
)

// silences are the mounts that do not respond, with the target's files on each.
type silences []silence

type silence struct {
	files.SilentError
	paths []string
}

// add adds a file of the target to its mount's entry.
func (s *silences) add(e *files.SilentError, path string) {
	for i := range *s {
		if m := &(*s)[i]; m.Type == e.Type && m.At == e.At {
			m.paths = append(m.paths, path)
			return
		}
	}
	*s = append(*s, silence{*e, []string{path}})
}

// maxSilentNames is how many files are named for a mount.
const maxSilentNames = 3

// errors returns one error for each mount, with the files that were read from memory.
func (s silences) errors() (errs []error) {
	for _, m := range s {
		names := strings.Join(m.paths[:min(len(m.paths), maxSilentNames)], ", ")
		if more := len(m.paths) - maxSilentNames; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		errs = append(errs, fmt.Errorf("the file system at %s (%s) does not answer, so that these were read from memory: %s", m.At, m.Type, names))
	}
	return errs
}
