// Package cli parses the command line. It has the table of flags, the rules on their
// combinations, and the help, man pages and completions that are made from both. It
// captures nothing.
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

// The bounds of --rate, in samples a second: an interval from a nanosecond to three years.
const (
	minRate = 1e-8
	maxRate = 1e9
)

// StandardOutput is the value of --output for standard output.
const StandardOutput = "-"

// Options are what the command line asks for.
type Options struct {
	flags *pflag.FlagSet
	runs  func(pid int) bool // reports whether there is such a process

	Targets     []string // values of --pid
	Target      string   // the first of Targets, or the word beside the flags
	Tree        bool
	All         bool
	System      bool     // capture all processes, without a stop
	file        bool     // the target is a core, a recording, a report or a document
	Within      []string // the chosen processes of a file; none: all
	Compared    []string // the two files of a comparison
	top         bool     // a live view
	records     bool     // samples are wanted, by the word record
	Wait        string
	Command     []string
	Children    bool
	FollowWaits bool // --follow-waits

	Duration, interval time.Duration
	rate               float64
	Count              int
	Jitter             bool
	Suspend            string
	NoStop             bool
	MaxStop            time.Duration

	Threads []string
	Filter  profile.ThreadFilter
	Kernel  bool // include the kernel's frames

	Only               string // threads of Python that do that: gil, exception, gc
	Native, NoRuntimes bool   // frames of interpreters beside the managed ones; instead of them

	Hang, MaxHang, Every time.Duration
	Keep                 int
	Dir, Exec            string

	outputs                   []string
	Format, Save, Color       string
	savedBy                   string // how the command line spells --save; empty: so
	Merge, NoMerge            bool
	NoInlines, NoDemangle     bool
	NoPager, OpenPage, Header bool
	Addresses                 bool
	View                      view
	Measure, Scale            string
	Symbols, Binaries         []string
	Debuginfod                bool
	Push, PushHeaders, Spool  string
	Check, sign, version      bool
}

// newOptions returns the options of an empty command line.
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

// hasTarget reports whether there is a target: a process, a file or a command.
func (o *Options) hasTarget() bool { return o.Target != "" || o.Wait != "" || len(o.Command) > 0 }

// several reports whether the options may refer to more than one process.
func (o *Options) several() bool { return len(o.Targets) > 1 || o.Tree || o.All }

// Watches reports whether the call is a watch: --hang or --every.
func (o *Options) Watches() bool { return o.Hang > 0 || o.Every > 0 }

// Samples reports whether the call takes many snapshots.
func (o *Options) Samples() bool {
	return o.top || o.records || o.Duration > 0 || o.interval > 0 || o.rate > 0 || o.Count > 1 || o.NoStop || o.Suspend == "thread" || len(o.Command) > 0
}

// SampleInterval returns the interval from --interval or --rate, 0 if neither is given.
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

// ToFile reports whether the report goes to at least one file.
func (o *Options) ToFile() bool { return slices.ContainsFunc(o.outputs, isFileName) }

func isFileName(output string) bool { return output != StandardOutput }

// selectThreads sorts the values of --thread into thread ids and names.
func (o *Options) selectThreads() {
	for _, t := range o.Threads {
		if id, err := strconv.ParseUint(t, 0, 64); err == nil {
			o.Filter.IDs = append(o.Filter.IDs, task.ThreadID(id))
		} else {
			o.Filter.Names = append(o.Filter.Names, t)
		}
	}
}

// IsSet reports whether a flag is set, even to its default value.
func (o *Options) IsSet(name string) bool { return o.flags.Changed(name) }
