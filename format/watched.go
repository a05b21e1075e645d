package format

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile/hang"
)

// Watched says in a line for how long a watch has gone on and how many reports it
// has made.
func Watched(elapsed time.Duration, o *hang.Options, made map[hang.Reason]int) string {
	var parts []string
	if o.Threshold > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s or more", howMany(made[hang.Hang], "hang"), o.Threshold))
	}
	if o.Every > 0 {
		parts = append(parts, howMany(made[hang.Periodic], "periodic report"))
	}
	return fmt.Sprintf("%s: %s", roughly(elapsed), strings.Join(parts, ", "))
}

// howMany is a number of things, none in words.
func howMany(n int, thing string) string {
	if n == 0 {
		return "no " + thing
	}
	return plural(n, thing)
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
