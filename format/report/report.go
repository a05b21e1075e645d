// Package report has what a format writes: one report, whatever it is on, and the type of
// all writers.
package report

import (
	"io"

	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/words"
)

// Report is on one process, on several, on a hang, or on how two profiles differ.
type Report struct {
	// Group has the processes. Those of a hang are the one that hung, and then the others
	// that it waited for; a comparison has none.
	profile.Group
	Several bool               // it is on several processes, also where only one was captured
	Hang    *hangreport.Report // of a hang, or of a watch's time that had come
	Diff    *words.Comparison  // of a comparison
	Origin  Origin
}

// Writer writes a report in one format. It returns the first error of the underlying
// writer, and whatever was written before stays written.
type Writer func(io.Writer, *Report, words.Options) error

// Of is the report on one process.
func Of(p *profile.Profile) *Report { return &Report{Group: *profile.GroupOf(p)} }

// OfGroup is the report on several processes.
func OfGroup(g *profile.Group) *Report { return &Report{Group: *g, Several: true} }

// OfHang is the report of a watch.
func OfHang(h *hangreport.Report) *Report {
	f := &h.Followed
	return &Report{Hang: h, Group: profile.Group{
		Tool: h.Profile.Tool, Profiles: append([]*profile.Profile{h.Profile}, f.Profiles...), Missing: f.Missing, Deadlocks: f.Deadlocks,
	}}
}

// OfDiff is the report on how two profiles differ.
func OfDiff(c *words.Comparison) *Report { return &Report{Diff: c} }
