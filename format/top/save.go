package top

import (
	"fmt"
	"regexp"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// Shown is what of a profile a view shows.
type Shown struct {
	Focus  *regexp.Regexp // stacks with a function that matches alone; nil: all
	Thread task.ThreadID  // this thread alone, if it is not 0
}

// shown is what is to be in a report.
func (s *state) shown() Shown {
	v := Shown{Focus: s.lists[functionsPane].filter.re}
	if s.only {
		v.Thread = s.thread
	}
	return v
}

// maxFileName bounds the process's name in that of a file.
const maxFileName = 64

// reportName is a file for a report, unless a person wants another.
func reportName(d *data) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, d.target.Name)
	return fmt.Sprintf("stacksnap-%.*s-%d-%s.txt", maxFileName, name, d.target.PID, d.Last.Format("150405"))
}

// request is a report that is wanted. It is written where the samples are added, as the
// profile changes with the next.
type request struct {
	path  string
	shown Shown
}

// write writes a report, and says what has come of that.
func (r *request) write(save func(string, *profile.Profile, Shown) error, p *profile.Profile) string {
	if p == nil {
		return "nothing was sampled, and nothing is saved"
	}
	if err := save(r.path, p, r.shown); err != nil {
		return "not saved: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return fmt.Sprintf("saved %s: %s", r.path, plural(p.Snapshots, "sample"))
}
