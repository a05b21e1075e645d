package out

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"stacksnap/format/words"
)

// Tell prints a line to the user. All output but reports goes through here, as names of
// processes and files may contain control characters: these are escaped as in Go, line ends
// included.
func Tell(w io.Writer, line string) {
	_, _ = fmt.Fprintln(w, "stacksnap:", words.Printable(line)) // an error could not be shown either
}

// TellError prints an error. Joined errors go on one line, each once; the lines of a
// [ListError] are kept.
func TellError(w io.Writer, err error) {
	var lines []string
	_, list := errors.AsType[*ListError](err)
	told := map[string]bool{}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if list || !told[line] {
			lines = append(lines, words.Printable(line))
		}
		told[line] = true
	}
	between := "; "
	if list {
		between = "\n"
	}
	_, _ = fmt.Fprintln(w, "stacksnap:", strings.Join(lines, between))
}

// ListError is the list of processes that a name matched, when none was chosen.
type ListError struct{ Lines []string }

func (e *ListError) Error() string { return strings.Join(e.Lines, "\n") }
