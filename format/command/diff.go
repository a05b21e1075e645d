package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/jsondoc"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task/recording"
	"stacksnap/task/stackshot"
)

// leastChange is the change in percent from which a branch is shown to people unless told.
const leastChange = .5

// compare reports how two files differ.
func (c *call) compare() error {
	index, err := c.index()
	if err != nil {
		return err
	}
	var sides [2]*profile.Profile
	var cut error // what a side lacks
	for i, path := range c.compared {
		side, err := c.readSide(path, c.withinSide(i), index)
		if side == nil {
			return err
		}
		cut = errors.Join(cut, err)
		sides[i] = c.view.chosen(c.named(side))
	}
	d, err := profile.NewDiff(sides[0], sides[1], c.diffOptions())
	if err != nil {
		return errors.Join(c.incomparable(err), cut)
	}
	return errors.Join(c.writeDiff(d), cut)
}

// diffOptions are what the flags say of how to compare.
func (c *call) diffOptions() profile.DiffOptions {
	o := profile.DiffOptions{Choose: c.measure == "", By: profile.ByProcess}
	if c.measure == profile.ByCPU.String() {
		o.Measure = profile.ByCPU
	}
	o.Scale = profile.Scale(max(0, slices.Index(scales(), c.scale)))
	if c.has("by") {
		o.By = profile.Grouping(slices.Index(groupings(), c.view.by))
	}
	return o
}

// incomparable says which file it is, and what to give instead.
func (c *call) incomparable(err error) error {
	var e *profile.IncomparableError
	if !errors.As(err, &e) {
		return err
	}
	path := c.compared[0]
	if e.After {
		path = c.compared[1]
	}
	return fmt.Errorf("%s cannot be compared so: it %s", path, strings.NewReplacer(
		"compare samples", "give --measure samples", "compare shares of the total", "leave out --scale time").Replace(e.Why))
}

// writeDiff writes a comparison to all places that it goes to.
func (c *call) writeDiff(d *profile.Diff) error {
	return c.writeAll(func(w io.Writer, to *destination) error {
		of := words.Comparison{Diff: d, Tool: c.tool, Files: [2]string(c.compared), Least: float64(c.view.min), Depth: c.view.depth}
		if to.form.Text && !c.has("min") {
			of.Least = leastChange
		}
		return to.form.Diff(c.optionsOf(to))(w, &of)
	})
}

// withinSide is which process of the earlier or the later file is wanted; empty: the only
// one.
func (c *call) withinSide(side int) []string {
	if len(c.within) == len(c.compared) {
		return c.within[side : side+1]
	}
	return c.within
}

// readSide reads a recording, a process of a stackshot, or a report that has a profile in
// it. There may be both a profile and an error, of one that was cut off.
func (c *call) readSide(path string, within []string, index *binaries.Index) (*profile.Profile, error) {
	switch {
	case stackshot.Is(path):
		return c.readProcess(path, within, index)
	case len(within) > 0:
		return nil, oneProcess(path)
	}
	p, err := capture.Replay(path, c.filter, index)
	if !errors.Is(err, recording.ErrNotRecording) {
		return p, inFile(path, err)
	}
	if p, err = readReport(path, jsondoc.Read, pprof.Read); !errors.Is(err, errNoReport) {
		return p, inFile(path, err)
	}
	if isCore(path) {
		return nil, fmt.Errorf("%s is a core: make a report of it first, as in: stacksnap %s -o it.json", path, shellWord(path))
	}
	return nil, fmt.Errorf("%s is neither a recording of stacksnap nor a JSON document of it or a profile of pprof", path)
}

// readProcess reads the process of a file of stackshots that is named.
func (c *call) readProcess(path string, within []string, index *binaries.Index) (*profile.Profile, error) {
	all, err := c.readStackshots(path, within, index)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, usageError{Err: fmt.Errorf("%s has %d processes, and diff compares one of each file: choose it with -p for both files, or -p for BEFORE and then -p for AFTER (%s)", path, len(all), processList(targetsOf(all)))}
	}
	return all[0], nil
}
