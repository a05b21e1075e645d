package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/jsondoc"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/diff"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task/recording"
	"stacksnap/task/stackshot"
)

// leastChange is the smallest change, in percent, of a branch that formats for people show
// by default.
const leastChange = .5

// compare reports the differences between two files.
func (c *call) compare() error {
	index, err := c.index()
	if err != nil {
		return err
	}
	var sides [2]*profile.Profile
	var cut error // error about missing parts of a side
	for i, path := range c.Compared {
		side, err := c.readSide(path, c.withinSide(i), index)
		if side == nil {
			return err
		}
		cut = errors.Join(cut, err)
		sides[i] = c.View.Select(c.Named(side))
	}
	d, err := diff.New(sides[0], sides[1], c.diffOptions())
	if err != nil {
		return errors.Join(c.incomparable(err), cut)
	}
	return errors.Join(c.writeDiff(d), cut)
}

// diffOptions returns the options of the comparison from the flags.
func (c *call) diffOptions() diff.Options {
	o := diff.Options{Choose: c.Measure == "", By: profile.ByProcess}
	if c.Measure == diff.ByCPU.String() {
		o.Measure = diff.ByCPU
	}
	o.Scale = diff.Scale(max(0, slices.Index(cli.Scales(), c.Scale)))
	if c.Has("by") {
		o.By = profile.Grouping(slices.Index(cli.Groupings(), c.View.By))
	}
	return o
}

// incomparable adds to the error of a comparison the name of the file and the flag to
// change.
func (c *call) incomparable(err error) error {
	var e *diff.IncomparableError
	if !errors.As(err, &e) {
		return err
	}
	path := c.Compared[0]
	if e.After {
		path = c.Compared[1]
	}
	return fmt.Errorf("%s cannot be compared so: it %s", path, strings.NewReplacer(
		"compare samples", "give --measure samples", "compare shares of the total", "leave out --scale time").Replace(e.Why))
}

// writeDiff writes a comparison to all destinations.
func (c *call) writeDiff(d *diff.Diff) error {
	return c.WriteAll(func(w io.Writer, to *cli.Destination) error {
		of := words.Comparison{Diff: d, Tool: c.Tool, Files: [2]string(c.Compared), Least: float64(c.View.Min), Depth: c.View.Depth}
		if to.Form.Text && !c.Has("min") {
			of.Least = leastChange
		}
		return c.WriteReport(w, to, report.OfDiff(&of))
	})
}

// withinSide returns the -p value for the earlier (0) or later (1) file; empty if the
// file's only process is meant.
func (c *call) withinSide(side int) []string {
	if len(c.Within) == len(c.Compared) {
		return c.Within[side : side+1]
	}
	return c.Within
}

// readSide reads one side of a comparison: a recording, a process of a stackshot, a JSON
// document or a pprof profile. For a recording that was cut off it returns both a profile
// and an error.
func (c *call) readSide(path string, within []string, index *binaries.Index) (*profile.Profile, error) {
	switch {
	case stackshot.Is(path):
		return c.readProcess(path, within, index)
	case len(within) > 0:
		return nil, oneProcess(path)
	}
	p, err := capture.Replay(path, capture.Options{Threads: c.Filter, Binaries: index, Timelines: true})
	if !errors.Is(err, recording.ErrNotRecording) {
		return p, inFile(path, err)
	}
	if p, err = readReport(path, jsondoc.Read, pprof.Read); !errors.Is(err, errNoReport) {
		return p, inFile(path, err)
	}
	if cli.IsCore(path) {
		return nil, fmt.Errorf("%s is a core: make a report of it first, as in: stacksnap %s -o it.json", path, cli.ShellWord(path))
	}
	return nil, fmt.Errorf("%s is neither a recording of stacksnap nor a JSON document of it or a profile of pprof", path)
}

// readProcess reads the process within names from a file of stackshots.
func (c *call) readProcess(path string, within []string, index *binaries.Index) (*profile.Profile, error) {
	all, err := c.readStackshots(path, within, index)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, cli.UsageError{Err: fmt.Errorf("%s has %d processes, and diff compares one of each file: choose it with -p for both files, or -p for BEFORE and then -p for AFTER (%s)", path, len(all), processList(targetsOf(all)))}
	}
	return all[0], nil
}
