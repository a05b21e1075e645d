// Package saved has what the readers of core files share: memory in pieces in a file,
// and a list of problems with the file.
package saved

import "fmt"

// FormatError says what is wrong with a core, and where in the file.
type FormatError struct {
	Offset int64 // in the file
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("core file, at offset 0x%x: %s", e.Offset, e.Reason)
}

// Problems collects what could not be read, up to a limit.
type Problems struct {
	list []error
	more int
}

const maxProblems = 32

// Add adds a problem.
func (p *Problems) Add(offset int64, format string, args ...any) {
	if len(p.list) == maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, &FormatError{offset, fmt.Sprintf(format, args...)})
}

// Errors returns the problems in the order in which they were found.
func (p *Problems) Errors() []error {
	if p.more == 0 {
		return p.list
	}
	return append(p.list[:len(p.list):len(p.list)], fmt.Errorf("%d more problems in the core file", p.more))
}
