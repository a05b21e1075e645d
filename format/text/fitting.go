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

// fitting writes a head, trees without the calls under a share of their thread's samples, and a tail:
// with the given share, or with a larger one if the report is too long.
func (p *printer) fitting(head string, whole *profile.Profile, least float64, tail func(*printer)) {
	room := maxLines
	if p.Profile.NumThreads() >= manyThreads {
		room = maxLinesOfMany
	}
	begin := *p
	room -= lines(head) + lines(begin.written(tail))
	begin = *p
	var text string
	for _, bound := range []float64{least, 2, 3, 5, 10} {
		if bound < least {
			continue
		}
		*p = begin
		p.least = bound
		if text = p.written(func(p *printer) { p.threads(whole.Prune(bound, 0)) }); lines(text) <= room {
			break
		}
	}
	p.least = begin.least
	p.put(head + text)
	tail(p)
}

func lines(text string) int { return strings.Count(text, "\n") }
