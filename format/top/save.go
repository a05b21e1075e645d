package top

import (
	"fmt"
	"regexp"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Shown is the part of a profile that a view shows.
type Shown struct {
	Focus  *regexp.Regexp // only stacks with a matching function; nil: all
	Thread task.ThreadID  // only this thread; 0: all
}

// shown returns the part of the profile to write to a report.
func (s *state) shown() Shown {
	v := Shown{Focus: s.lists[functionsPane].filter.re}
	if s.only {
		v.Thread = s.thread
	}
	return v
}

// maxFileName is the maximum number of bytes of the process's name in a file's name.
const maxFileName = 64

// reportName returns the suggested file name for a report.
func reportName(d *data) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, d.target.Name)
	return fmt.Sprintf("stacksnap-%.*s-%d-%s.txt", maxFileName, name, d.target.PID, d.Last.Format("150405"))
}

// request is a request for a report. The sampling's goroutine writes it, as the profile
// changes with each sample.
type request struct {
	path  string
	shown Shown
}

// write writes a report, and returns a message on the result.
func (r *request) write(save func(string, *profile.Profile, Shown) error, p *profile.Profile) string {
	if p == nil {
		return "nothing was sampled, and nothing is saved"
	}
	if err := save(r.path, p, r.shown); err != nil {
		return "not saved: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return fmt.Sprintf("saved %s: %s", r.path, plural(p.Snapshots, "sample"))
}
