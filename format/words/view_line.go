package words

import (
	"fmt"
	"strconv"
	"strings"

	"stacksnap/format/profile"
)

// View writes how the report differs from the capture, and what is left out.
func (p *Printer) View() {
	v := p.Profile.View
	if v == nil {
		return
	}
	p.Fact("Shown", Chosen(p.Profile))
	if v.Inverted {
		p.Fact("Order", "the innermost function first, and below it those that called it")
	}
	if v.Recursion {
		p.Fact("Recursion", "rounds that are the same are shown as one")
	}
	if v.Least > 0 || v.Depth > 0 {
		p.Fact("Left Out", leftOut(p.Profile))
	}
}

// Chosen describes the selection of samples; empty if there is none.
func Chosen(p *profile.Profile) string {
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
	text := fmt.Sprintf("%s of %s: %s", Count(all-v.LeftOut), samplesWord(p, all), strings.Join(by, ", "))
	if v.LeftThreads > 0 {
		text += fmt.Sprintf("; %s of %s left out", Count(v.LeftThreads), Plural(v.Whole.NumThreads(), "thread"))
	}
	return text
}

// patterns returns regular expressions as a list with "or" for a message.
func patterns(of profile.Patterns) string {
	words := make([]string, len(of))
	for i, re := range of {
		words[i] = `"` + Printable(Elide(re.String(), MaxText)) + `"`
	}
	return strings.Join(words, " or ")
}

// leftOut describes what was folded, and by which limits.
func leftOut(p *profile.Profile) string {
	v := p.View
	var bounds []string
	if v.Least > 0 {
		bounds = append(bounds, "below "+strconv.FormatFloat(v.Least, 'g', -1, 64)+" %")
	}
	if v.Depth > 0 {
		bounds = append(bounds, "deeper than "+Plural(v.Depth, "frame"))
	}
	by := strings.Join(bounds, " or ")
	if v.FoldedNodes == 0 {
		return "nothing is " + by
	}
	return fmt.Sprintf("%s %s, with the ends of %s of %s", Plural(v.FoldedNodes, "frame"), by,
		Count(v.Folded), samplesWord(p, p.NumSamples()))
}

// samplesWord returns a number of samples; in one snapshot they are called stacks.
func samplesWord(p *profile.Profile, n int) string {
	if p.Sampled() {
		return Plural(n, "sample")
	}
	return Plural(n, "stack")
}

// isSum reports whether the times of an entry are sums over several threads.
func isSum(t *profile.Thread) bool {
	return len(t.Same) > 0 || t.Together != nil && len(t.Together.Threads) > 1
}
