package apple

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// textWriter writes a report line by line. Its first write error stays and is what
// Flush returns.
type textWriter struct{ *bufio.Writer }

func newTextWriter(w io.Writer) textWriter { return textWriter{bufio.NewWriterSize(w, 64<<10)} }

func (w textWriter) line(format string, args ...any) {
	fmt.Fprintf(w, format, args...)
	_ = w.WriteByte('\n')
}

// fact writes a key and a value in a column of its own, the first of which is 0; no
// line where nothing is known.
func (w textWriter) fact(column int, key, value string) {
	if value != "" {
		w.line("%-*s %s", column-1, key+":", value)
	}
}

// processWithPID is "NAME [PID]", empty where neither is known.
func processWithPID(name string, pid int) string {
	if name == "" && pid == 0 {
		return ""
	}
	return fmt.Sprintf("%s [%d]", process(name), pid)
}

// printable is a line of a report that was opened, with blanks as they are.
func printable(line string) string {
	return words.Printable(strings.ReplaceAll(line, "\t", "    "))
}

// noFrames begins a note on empty stacks.
const noFrames = "stacks of which no frame is known"

// doubts are what a reader of a profile should beware of: its notes, and what is
// counted of samples that are missing or may be wrong.
func doubts(p *profile.Profile) (list []string) {
	for i, note := range p.Notes {
		if i == maxNotes {
			list = append(list, fmt.Sprintf("and %d more", len(p.Notes)-i))
			break
		}
		list = append(list, plain(note))
	}
	empty, unstopped := 0, 0
	for _, t := range p.Threads {
		empty, unstopped = empty+t.Empty, unstopped+t.Unstopped
	}
	for _, n := range []struct {
		what  string
		count int
	}{
		{"samples that were due and could not be taken in time", p.MissedTicks},
		{"threads that appeared too fast to be captured", p.MissedThreads},
		{noFrames, empty},
		{"stacks read without a stop, of which frames may be missing", unstopped},
	} {
		if s := fmt.Sprintf("%s: %d", n.what, n.count); n.count > 0 && !slices.Contains(p.Notes, s) { // a report that was opened may tell it already
			list = append(list, s)
		}
	}
	return list
}
