package text

import (
	"bufio"
	"fmt"
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// group writes a header for people about all the processes, and then the report on each.
func group(out io.Writer, g *profile.Group, o words.Options) error {
	w := bufio.NewWriterSize(out, words.BufferSize) // for all reports; each flushes it
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
		if err := tree(w, one.Profile, o); err != nil {
			return err
		}
	}
	return nil
}

// maxAlike is how many of the processes that are like another one are named.
const maxAlike = 8

// likeIt names the processes that are like the one that a report is on; empty: there are
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
