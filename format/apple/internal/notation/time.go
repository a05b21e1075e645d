package notation

import (
	"strings"
	"time"
)

// Moment formats a time with the given number of decimals of its seconds, at most
// nine. It returns "" for the zero time.
func Moment(t time.Time, decimals int) string {
	if t.IsZero() {
		return ""
	}
	layout := "2006-01-02 15:04:05"
	if decimals > 0 {
		layout += "." + strings.Repeat("0", min(decimals, 9))
	}
	return t.Format(layout + " -0700")
}

// Milliseconds is the number of decimals of times in most reports.
const Milliseconds = 3

// halves unifies the marks of morning and afternoon, which systems with 12-hour
// clocks write.
var halves = strings.NewReplacer(" a ", " AM ", " p ", " PM ", " am ", " AM ", " pm ", " PM ", " a.m. ", " AM ", " p.m. ", " PM ")

// ParseMoment parses a time, with any fraction of a second. It returns the zero time
// if the form is unknown.
func ParseMoment(s string) time.Time {
	s = halves.Replace(strings.ReplaceAll(s, "\u202f", " "))
	for _, layout := range []string{"2006-01-02 15:04:05 -0700", "2006-01-02 3:04:05 PM -0700", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
