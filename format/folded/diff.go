package folded

import (
	"bufio"
	"fmt"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/words"
)

// foldDiff writes folded stacks with two counts, before and after, as difffolded.pl of
// Brendan Gregg's FlameGraph does; flamegraph.pl colours them by the change. If the
// comparison is by shares, it scales the first count to the later total and rounds down, as
// difffolded.pl -n does.
func foldDiff(out *bufio.Writer, c *words.Comparison) {
	name := foldedFrameOf(c.Inverted)
	for _, t := range c.Shown() {
		title := diffTitle(c, t)
		var path []string
		for depth, n := range t.Nodes() {
			path = append(path[:depth], name(n.Node))
			if n.Self == (diff.Amount{}) {
				continue
			}
			_, _ = out.WriteString(title) // the buffer keeps the error for Flush
			for _, frame := range path {
				_, _ = out.WriteString(";" + frame)
			}
			fmt.Fprintf(out, " %d %d\n", even(c, n.Self.Before), n.Self.After)
		}
	}
}

func foldedFrameOf(inverted bool) func(*profile.Node) string {
	if inverted {
		return foldedOutward
	}
	return foldedFrame
}

// diffTitle returns the outermost frame, which names the threads.
func diffTitle(c *words.Comparison, t *diff.Tree) string {
	title := "all threads"
	switch {
	case t.Main:
		title = "main thread"
	case c.By == profile.ByThread && t.Name == "":
		title = "threads without a name"
	case c.By == profile.ByThread:
		title = "Thread " + words.Clean(t.Name, words.MaxText)
	case c.By == profile.ByQueue:
		title = words.TogetherLabel(&profile.Together{By: profile.ByQueue, Queue: t.Name})
	case c.By == profile.ByState:
		title = words.Clean(t.Name, words.MaxText)
	}
	return strings.ReplaceAll(title, ";", ":")
}

// even scales a count of the earlier side to the later one.
func even(c *words.Comparison, before int64) int64 {
	if c.Scale == diff.AsCounted {
		return before
	}
	wholeBefore, wholeAfter := c.Basis()
	if wholeBefore == wholeAfter {
		return before
	}
	return int64(float64(before) * float64(wholeAfter) / float64(wholeBefore))
}
