package text

import (
	"strings"

	"stacksnap/format/profile"
)

// The maximum number of lines of a report on samples, if it can be reached by
// omitting light calls from the trees.
const (
	maxLines       = 70
	maxLinesOfMany = 80
	manyThreads    = 100
)

// fitting writes head, the trees, and the tail. shown are the trees of whole, pruned
// by the bound that the user asked for. If the report is too long, fitting prunes
// whole by larger bounds.
func (p *printer) fitting(head string, whole, shown *profile.Profile, tail func(*printer)) {
	room := maxLines
	if p.Profile.NumThreads() >= manyThreads {
		room = maxLinesOfMany
	}
	aside := *p
	room -= lines(head) + lines(aside.written(tail))
	begin, text := *p, ""
	for _, bound := range []float64{begin.least, 2, 3, 5, 10} {
		if bound < begin.least {
			continue
		}
		if bound > begin.least {
			shown = whole.Prune(bound, 0)
		}
		*p = begin
		p.least = bound
		if text = p.written(func(p *printer) { p.threads(shown) }); lines(text) <= room {
			break
		}
	}
	p.least = begin.least
	p.put(head + text)
	tail(p)
}

func lines(text string) int { return strings.Count(text, "\n") }
