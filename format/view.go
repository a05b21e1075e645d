package format

import (
	"fmt"
	"strconv"
	"strings"

	"stacksnap/format/profile"
)

// view says how the report differs from what was captured, and what is left out.
func (p *printer) view() {
	v := p.profile.View
	if v == nil {
		return
	}
	p.fact("Shown", chosen(p.profile))
	if v.Inverted {
		p.fact("Order", "the innermost function first, and below it those that called it")
	}
	if v.Recursion {
		p.fact("Recursion", "rounds that are the same are shown as one")
	}
	if v.Least > 0 || v.Depth > 0 {
		p.fact("Left Out", leftOut(p.profile))
	}
}

// chosen says what was chosen of the samples; nothing where it was all.
func chosen(p *profile.Profile) string {
	v := p.View
	if v == nil {
		return ""
	}
	var by []string
	add := func(what string, of profile.Patterns) {
		if len(of) > 0 {
			by = append(by, what+patterns(of))
		}
	}
	add("with a function that matches ", v.Focus)
	add("without any that matches ", v.Ignore)
	add("frames hidden that match ", v.Hide)
	if len(by) == 0 {
		return ""
	}
	all := v.Whole.NumSamples()
	text := fmt.Sprintf("%s of %s: %s", count(all-v.LeftOut), samplesWord(p, all), strings.Join(by, ", "))
	if v.LeftThreads > 0 {
		text += fmt.Sprintf("; %s of %s left out", count(v.LeftThreads), plural(v.Whole.NumThreads(), "thread"))
	}
	return text
}

// patterns writes regular expressions of which any may match.
func patterns(of profile.Patterns) string {
	words := make([]string, len(of))
	for i, re := range of {
		words[i] = `"` + Printable(elide(re.String(), maxText)) + `"`
	}
	return strings.Join(words, " or ")
}

// leftOut says what was folded, and by which bounds.
func leftOut(p *profile.Profile) string {
	v := p.View
	var bounds []string
	if v.Least > 0 {
		bounds = append(bounds, "below "+strconv.FormatFloat(v.Least, 'g', -1, 64)+" %")
	}
	if v.Depth > 0 {
		bounds = append(bounds, "deeper than "+plural(v.Depth, "frame"))
	}
	by := strings.Join(bounds, " or ")
	if v.FoldedNodes == 0 {
		return "nothing is " + by
	}
	return fmt.Sprintf("%s %s, with the ends of %s of %s", plural(v.FoldedNodes, "frame"), by,
		count(v.Folded), samplesWord(p, p.NumSamples()))
}

// samplesWord counts samples; of one snapshot they are stacks.
func samplesWord(p *profile.Profile, n int) string {
	if p.Sampled() {
		return plural(n, "sample")
	}
	return plural(n, "stack")
}

// isSum tells whether times of an entry are of several threads.
func isSum(t *profile.Thread) bool {
	return len(t.Same) > 0 || t.Together != nil && len(t.Together.Threads) > 1
}

// together names the threads whose samples an entry has.
func (p *printer) together(t *profile.Thread) string {
	g := t.Together
	n := plural(len(g.Threads), "thread")
	var title string
	switch {
	case g.By == profile.ByState:
		title = n + " " + g.State.String()
	case g.By == profile.ByQueue && g.Queue == "":
		title = n + " of no dispatch queue"
	case g.By == profile.ByQueue:
		title = n + " of DispatchQueue " + quoted(g.Queue)
	case len(g.Threads) == 1:
		title = "The only thread"
	default:
		title = "All " + n
	}
	return p.name(title+":") + " " + threadIDs(p.profile.Target.OS, g.Threads)
}
