package out

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"stacksnap/format/words"
)

// Tell tells the user a line: all that this program prints but its reports passes
// here, for names of processes, files and tracers stand in it. What does not print
// is written as Go escapes it, line ends among it.
func Tell(w io.Writer, line string) {
	_, _ = fmt.Fprintln(w, "stacksnap:", words.Printable(line)) // whom to tell?
}

// TellError tells what went wrong: errors that were joined on one line, each
// once. A list of processes to choose from keeps its lines.
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

// ListError lists the processes that matched, when none was chosen.
type ListError struct{ Lines []string }

func (e *ListError) Error() string { return strings.Join(e.Lines, "\n") }
