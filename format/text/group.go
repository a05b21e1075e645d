package text

import (
	"bufio"
	"fmt"
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// group writes the header for all processes, and then the report on each.
func group(out io.Writer, g *profile.Group, o words.Options) error {
	w := bufio.NewWriterSize(out, words.BufferSize) // shared by all reports
	p := newPrinter(w, words.AboutGroup(g), o)
	all := words.EachOnce(g, o)
	p.GroupHeader(g, all)
	if err := p.Flush(); err != nil {
		return err
	}
	for _, one := range all {
		if _, err := fmt.Fprintln(w, likeIt(one.Others)); err != nil {
			return err
		}
		if err := treeInGroup(w, one.Profile, o); err != nil {
			return err
		}
	}
	return w.Flush() // in ASCII, a report flushes to it only
}

// maxAlike is the maximum number of names listed of processes that are equal to
// another one.
const maxAlike = 8

// likeIt lists the processes that are equal to the one of a report; empty if there are
// none.
func likeIt(others []*profile.Profile) string {
	if len(others) == 0 {
		return ""
	}
	var first []string
	for _, p := range others[:min(len(others), maxAlike)] {
		first = append(first, words.ProcessName(p.Target.Name, p.Target.PID))
	}
	return "\n" + words.Count(len(others)) + " more like this one: " + words.Listed(first, len(others))
}
