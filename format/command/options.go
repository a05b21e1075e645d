package command

import (
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// The samples a second that make an interval: from one in three years to one in
// a nanosecond.
const (
	minRate = 1e-8
	maxRate = 1e9
)

// standardOutput is what --output calls it.
const standardOutput = "-"

// options are what the command line asks for.
type options struct {
	flags *pflag.FlagSet
	runs  func(pid int) bool // reports whether there is such a process

	targets  []string // of --pid
	target   string   // the first of them, or what stands beside the flags
	tree     bool
	all      bool
	system   bool     // all processes, without a stop
	file     bool     // the target is a core, a recording, a report or a document
	within   []string // the processes of a file of several that are wanted; none: all
	compared []string // two files
	top      bool     // a live view
	wait     string
	command  []string
	children bool
	follows  bool // of --follow-waits

	duration, interval time.Duration
	rate               float64
	count              int
	jitter             bool
	suspend            string
	noStop             bool
	maxStop            time.Duration

	threads []string
	filter  profile.ThreadFilter
	kernel  bool // its frames, too

	hang, maxHang, every time.Duration
	keep                 int
	dir, exec            string

	outputs                      []string
	format, save, color          string
	merge, noInlines, noDemangle bool
	noPager, browse              bool
	view                         view
	measure, scale               string
	symbols, binaries            []string
	debuginfod                   bool
	push, pushHeaders, spool     string
	foretells, sign, version     bool
}

// newOptions are those of a command line without flags.
func newOptions() *options {
	o := &options{maxStop: task.DefaultMaxStop, format: "tree", color: "auto", scale: profile.ToTotal.String(), view: view{by: profile.ByThread.String()}}
	o.flags = pflag.NewFlagSet("stacksnap", pflag.ContinueOnError)
	o.flags.SetOutput(io.Discard)
	for _, g := range o.groups() {
		for _, f := range g.flags {
			f.bind(o.flags)
		}
	}
	return o
}

// hasTarget reports whether there is anything to look at.
func (o *options) hasTarget() bool { return o.target != "" || o.wait != "" || len(o.command) > 0 }

// several reports whether more than one process may be meant.
func (o *options) several() bool { return len(o.targets) > 1 || o.tree || o.all }

// watches reports whether reports are wanted as things happen.
func (o *options) watches() bool { return o.hang > 0 || o.every > 0 }

// samples reports whether many snapshots are wanted.
func (o *options) samples() bool {
	return o.top || o.duration > 0 || o.interval > 0 || o.rate > 0 || o.count > 1 || o.noStop || o.suspend == "thread" || len(o.command) > 0
}

// sampleInterval is that of --interval or --rate, 0 unless one is given.
func (o *options) sampleInterval() time.Duration {
	if o.rate > 0 {
		return time.Duration(float64(time.Second) / o.rate)
	}
	return o.interval
}

// suspension is what stands while a sample is taken.
func (o *options) suspension() task.Suspension {
	switch {
	case o.noStop:
		return task.SuspendNone
	case o.suspend == "task":
		return task.SuspendTask
	case o.suspend == "thread":
		return task.SuspendThread
	}
	return task.SuspendDefault
}

// toFile reports whether the report goes to any file.
func (o *options) toFile() bool { return slices.ContainsFunc(o.outputs, isFileName) }

func isFileName(output string) bool { return output != standardOutput }

// selectThreads tells ids from names.
func (o *options) selectThreads() {
	for _, t := range o.threads {
		if id, err := strconv.ParseUint(t, 0, 64); err == nil {
			o.filter.IDs = append(o.filter.IDs, task.ThreadID(id))
		} else {
			o.filter.Names = append(o.filter.Names, t)
		}
	}
}

// isSet reports whether the command line has a flag, even if with its default.
func (o *options) isSet(name string) bool { return o.flags.Changed(name) }
