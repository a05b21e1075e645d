// Package report has the input of all formats, a report, and the type of their writers.
package report

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/words"
)

// Report is a report on one process, several processes, a hang, or a comparison of two
// profiles.
type Report struct {
	// Group has the processes. For a hang, these are the one that hung and those that it
	// waited for; for a comparison, none.
	profile.Group
	Several bool               // a report on several processes, even if only one was captured
	Hang    *hangreport.Report // set for the report of a watch, on a hang or periodic
	Diff    *words.Comparison  // set for a comparison
	Origin  Origin
}

// Writer writes a report in one format. It returns the first error of the underlying
// writer; what was written before stays written.
type Writer func(io.Writer, *Report, words.Options) error

// Of returns the report on one process.
func Of(p *profile.Profile) *Report { return &Report{Group: *profile.GroupOf(p)} }

// OfGroup returns the report on several processes.
func OfGroup(g *profile.Group) *Report { return &Report{Group: *g, Several: true} }

// OfHang returns the report of a watch.
func OfHang(h *hangreport.Report) *Report {
	f := &h.Followed
	return &Report{Hang: h, Group: profile.Group{
		Tool: h.Profile.Tool, Profiles: append([]*profile.Profile{h.Profile}, f.Profiles...), Missing: f.Missing, Deadlocks: f.Deadlocks,
	}}
}

// OfDiff returns the report on a comparison.
func OfDiff(c *words.Comparison) *Report { return &Report{Diff: c} }
