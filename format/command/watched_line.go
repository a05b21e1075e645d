package command

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile/hang"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/words"
)

// Watched summarises a watch in a line: its duration, the reports that it made, and the
// time in which it could not observe the target.
func Watched(elapsed time.Duration, o *hang.Options, made map[hangreport.Reason]int, covered hang.Coverage) string {
	var parts []string
	if o.Threshold > 0 {
		parts = append(parts, hangs(o, made, &covered))
	}
	if o.Every > 0 {
		parts = append(parts, howMany(made[hangreport.Periodic], "periodic report"))
	}
	line := fmt.Sprintf("%s: %s", roughly(elapsed), strings.Join(parts, ", "))
	if covered.Gaps > 0 && o.Threshold > 0 {
		line += fmt.Sprintf("; not observed for %s of it, %s: hangs then are not known", roughly(covered.Unseen), inGaps(covered.Gaps))
	}
	return line
}

// hangs returns a phrase with the number of hangs. It says that there was none only of a
// thread that has answered, as one that never ran may have hung all the time.
func hangs(o *hang.Options, made map[hangreport.Reason]int, covered *hang.Coverage) string {
	n, whose := made[hangreport.Hang], o.ThreadName()
	text := fmt.Sprintf("%s of %s or more", howMany(n, "hang"), o.Threshold)
	switch {
	case n > 0 || covered.Answered:
	case covered.Still > 0:
		text = fmt.Sprintf("%s has not run for %s", whose, roughly(covered.Still))
		if covered.Call != "" {
			text += ", in " + covered.Call
		}
		text += "; whether it hung before, we can't know"
	default:
		text = whose + " was not seen idle; whether it hangs, we can't know"
	}
	if made[hangreport.Deadlocked] > 0 {
		text = "threads were in a deadlock from the start; " + text
	}
	return text
}

// inGaps returns a phrase for the number of gaps.
func inGaps(n int) string {
	if n == 1 {
		return "at once"
	}
	return fmt.Sprintf("in %d pieces", n)
}

// howMany returns n with its noun, and "no" for 0.
func howMany(n int, thing string) string {
	if n == 0 {
		return "no " + thing
	}
	return words.Plural(n, thing)
}

// roughly rounds a duration to two or three digits, for people.
func roughly(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond)
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
