// Package cli reads the command line: the table of flags, the rules of what goes
// together, and the help, manual pages and completions that are made from them. It captures
// nothing.
package cli

import (
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/task"
)

// The samples a second that make an interval: from one in three years to one in
// a nanosecond.
const (
	minRate = 1e-8
	maxRate = 1e9
)

// StandardOutput is what --output calls it.
const StandardOutput = "-"

// Options are what the command line asks for.
type Options struct {
	flags *pflag.FlagSet
	runs  func(pid int) bool // reports whether there is such a process

	Targets     []string // of --pid
	Target      string   // the first of them, or the argument beside the flags
	Tree        bool
	All         bool
	System      bool     // all processes, without a stop
	file        bool     // the target is a core, a recording, a report or a document
	Within      []string // the processes of a file of several that are wanted; none: all
	Compared    []string // two files
	top         bool     // a live view
	Wait        string
	Command     []string
	Children    bool
	FollowWaits bool // of --follow-waits

	Duration, interval time.Duration
	rate               float64
	Count              int
	Jitter             bool
	Suspend            string
	NoStop             bool
	MaxStop            time.Duration

	Threads []string
	Filter  profile.ThreadFilter
	Kernel  bool // its frames, too

	Hang, MaxHang, Every time.Duration
	Keep                 int
	Dir, Exec            string

	outputs                      []string
	Format, Save, Color          string
	Merge, NoInlines, NoDemangle bool
	NoPager, OpenPage            bool
	View                         view
	Measure, Scale               string
	Symbols, Binaries            []string
	Debuginfod                   bool
	Push, PushHeaders, Spool     string
	Check, sign, version         bool
}

// newOptions are those of a command line without flags.
func newOptions() *Options {
	o := &Options{MaxStop: task.DefaultMaxStop, Format: "tree", Color: "auto", Scale: diff.ToTotal.String(), View: view{By: profile.ByThread.String()}}
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
func (o *Options) hasTarget() bool { return o.Target != "" || o.Wait != "" || len(o.Command) > 0 }

// several reports whether more than one process may be meant.
func (o *Options) several() bool { return len(o.Targets) > 1 || o.Tree || o.All }

// Watches reports whether reports are wanted as things happen.
func (o *Options) Watches() bool { return o.Hang > 0 || o.Every > 0 }

// Samples reports whether many snapshots are wanted.
func (o *Options) Samples() bool {
	return o.top || o.Duration > 0 || o.interval > 0 || o.rate > 0 || o.Count > 1 || o.NoStop || o.Suspend == "thread" || len(o.Command) > 0
}

// SampleInterval is that of --interval or --rate, 0 unless one is given.
func (o *Options) SampleInterval() time.Duration {
	if o.rate > 0 {
		return time.Duration(float64(time.Second) / o.rate)
	}
	return o.interval
}

// Suspension returns what is stopped while a sample is taken.
func (o *Options) Suspension() task.Suspension {
	switch {
	case o.NoStop:
		return task.SuspendNone
	case o.Suspend == "task":
		return task.SuspendTask
	case o.Suspend == "thread":
		return task.SuspendThread
	}
	return task.SuspendDefault
}

// ToFile reports whether the report goes to any file.
func (o *Options) ToFile() bool { return slices.ContainsFunc(o.outputs, isFileName) }

func isFileName(output string) bool { return output != StandardOutput }

// selectThreads tells ids from names.
func (o *Options) selectThreads() {
	for _, t := range o.Threads {
		if id, err := strconv.ParseUint(t, 0, 64); err == nil {
			o.Filter.IDs = append(o.Filter.IDs, task.ThreadID(id))
		} else {
			o.Filter.Names = append(o.Filter.Names, t)
		}
	}
}

// IsSet reports whether the command line has a flag, even if with its default.
func (o *Options) IsSet(name string) bool { return o.flags.Changed(name) }
