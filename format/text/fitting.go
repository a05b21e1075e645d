package text

import (
	"strings"

	"stacksnap/format/profile"
)

// The most lines of a report on samples, as far as a larger bound of the calls in its trees can
// make it shorter.
const (
	maxLines       = 70
	maxLinesOfMany = 80
	manyThreads    = 100
)

// fitting writes a head, trees without the calls under a share of their thread's samples, and a tail.
// shown are the trees of whole with the bound that was asked for; if the report would be too long with
// them, it takes a larger bound.
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
