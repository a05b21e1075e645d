package command

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile/hang"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/words"
)

// Watched says in a line for how long a watch has gone on and how many reports it
// has made, and for how much of it the target was not looked at.
func Watched(elapsed time.Duration, o *hang.Options, made map[hangreport.Reason]int, covered hang.Coverage) string {
	var parts []string
	if o.Threshold > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s or more", howMany(made[hangreport.Hang], "hang"), o.Threshold))
	}
	if o.Every > 0 {
		parts = append(parts, howMany(made[hangreport.Periodic], "periodic report"))
	}
	line := fmt.Sprintf("%s: %s", roughly(elapsed), strings.Join(parts, ", "))
	if covered.Gaps > 0 && o.Threshold > 0 {
		line += fmt.Sprintf("; not looked at for %s of it, %s: hangs then are not known", roughly(covered.Unseen), inGaps(covered.Gaps))
	}
	return line
}

// inGaps says in how many pieces.
func inGaps(n int) string {
	if n == 1 {
		return "at once"
	}
	return fmt.Sprintf("in %d pieces", n)
}

// howMany is a number of things, none in words.
func howMany(n int, thing string) string {
	if n == 0 {
		return "no " + thing
	}
	return words.Plural(n, thing)
}

// roughly rounds a time for people.
func roughly(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond)
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
