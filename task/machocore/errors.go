package machocore

import (
	"errors"
	"fmt"
)

// ErrNotCore is returned for a file that is no Mach-O core at all.
var ErrNotCore = errors.New("not a Mach-O core file")

// FormatError says what is wrong with a core, and where in the file. As a
// [Process.Problems] it cost only what it names.
type FormatError struct {
	Offset int64 // in the file
	Reason string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("core file, at offset 0x%x: %s", e.Offset, e.Reason)
}

// problems collects what could not be read, a bounded number of them: a file
// that is wrong everywhere is told once.
type problems struct {
	list []error
	more int
}

const maxProblems = 32

func (p *problems) add(offset int64, format string, args ...any) {
	if len(p.list) == maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, &FormatError{offset, fmt.Sprintf(format, args...)})
}

func (p *problems) errors() []error {
	if p.more == 0 {
		return p.list
	}
	return append(p.list[:len(p.list):len(p.list)], fmt.Errorf("%d more problems in the core file", p.more))
}
