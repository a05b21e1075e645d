package command

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"stacksnap/format/jsondoc"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task/recording"
	"stacksnap/task/stackshot"
	"stacksnap/task/unpack"
)

// diffWord is the first word of a call that compares.
const diffWord = "diff"

// leastChange is the change in percent from which a branch is shown to people unless told.
const leastChange = .5

// errTwoFiles is the error of a call that compares anything but two files.
var errTwoFiles = fmt.Errorf("diff compares two files: stacksnap %s BEFORE AFTER (for a process of that name: -p %s; for a file: ./%s)", diffWord, diffWord, diffWord)

// errTwoChosen is the error of a call that chooses more processes than are compared.
var errTwoChosen = errors.New("diff compares one process of each file: give -p for both files, or -p for BEFORE and then -p for AFTER")

// compares takes the two files of a call that compares, and which process of them.
func (o *options) compares(files []string) error {
	if len(files) != 2 {
		return usageError{errTwoFiles}
	}
	if len(o.targets) > len(files) {
		return usageError{errTwoChosen}
	}
	o.compared, o.target = files, files[0]
	o.within, o.targets = o.targets, nil
	return nil
}

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

// measures and scales are the values of --measure and --scale.
func measures() []string { return []string{profile.ByCPU.String(), profile.BySamples.String()} }

func scales() (names []string) {
	for s := profile.ToTotal; s <= profile.AsCounted; s++ {
		names = append(names, s.String())
	}
	return names
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
		of := words.Comparison{Diff: d, Tool: c.tool(), Files: [2]string(c.compared), Least: float64(c.view.min), Depth: c.view.depth}
		if to.form.Text && !c.has("min") {
			of.Least = leastChange
		}
		return c.writeReport(w, to, report.OfDiff(&of))
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
		return nil, usageError{fmt.Errorf("%s has %d processes, and diff compares one of each file: choose it with -p for both files, or -p for BEFORE and then -p for AFTER (%s)", path, len(all), processList(targetsOf(all)))}
	}
	return all[0], nil
}

func inFile(path string, err error) error {
	if err == nil || is[*os.PathError](err) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// errNoReport says that a file is no report that can be read.
var errNoReport = errors.New("no report that can be read")

// softLimit is from how many bytes of memory on garbage is collected more often while a
// report is read: most of what is read is soon that.
const softLimit = 176 << 20

// readReport reads a report by the first of the readers that knows it, compressed or not.
func readReport(path string, readers ...func(io.Reader) (*profile.Profile, error)) (*profile.Profile, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(softLimit))
	for _, read := range readers {
		p, err := readBy(path, read)
		if !errors.Is(err, jsondoc.ErrNotDocument) && !errors.Is(err, pprof.ErrNotPprof) {
			return p, err
		}
	}
	return nil, errNoReport
}

func readBy(path string, read func(io.Reader) (*profile.Profile, error)) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := uncompressed(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	return read(r)
}

// uncompressed is what a stream has, by gzip, zstd or neither (RFC 1952, RFC 8878), no
// more than [unpack.New] allows.
func uncompressed(r *bufio.Reader) (io.Reader, error) {
	const enough = 64 << 20 // bytes that zstd may hold
	first, _ := r.Peek(4)   // what is shorter is not compressed
	packed := unpack.New(r)
	var z io.Reader
	var err error
	switch {
	case strings.HasPrefix(string(first), "\x1f\x8b"):
		z, err = gzip.NewReader(packed)
	case string(first) == "\x28\xb5\x2f\xfd":
		z, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(enough))
	default:
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("uncompress: %w", err)
	}
	return packed.Bound(z), nil
}
