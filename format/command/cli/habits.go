package cli

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The first words of other tools' calls: perf and samply record, py-spy and rbspy dump and
// record, and macOS has a program called sample.
const (
	recordWord  = "record"
	dumpWord    = "dump"
	sampleWord  = "sample"
	versionWord = "version"
)

// foreignFlags returns advice for flags of other tools, by their names without dashes.
func foreignFlags() map[string]string {
	return map[string]string{
		"freq": "here it is --rate", "frequency": "here it is --rate", "subprocesses": "here it is --tree",
		"mode": "for threads that hold the GIL it is --only gil, for those that run --running", "gil": "here it is --only gil",
		"nonblocking": "here it is --no-stop", "tid": "here it is --thread", "t": "for a thread it is --thread",
		"all-cpus": "for all processes it is --system", "a": "for all processes it is --system",
		"call-graph": "whole stacks are always taken",
		"e":          "samples are of time; perf counts events", "event": "samples are of time; perf counts events",
		"time": "here it is --duration", "timeout": "here it is --duration", "seconds": "here it is --duration",
	}
}

// ours replaces flags of other tools by ours: -pid and other long names with one dash, and
// perf's -F for the rate. It removes -g, since whole stacks are always taken. It does not
// change the values of flags, or what follows --.
func (o *Options) ours(args []string) (all []string) {
	isValue := false
	for i, arg := range args {
		if arg == "--" {
			return append(all, args[i:]...)
		}
		if isValue || !strings.HasPrefix(arg, "-") {
			all, isValue = append(all, arg), false
			continue
		}
		if arg = o.ourFlag(arg); arg == "" {
			continue
		}
		f := o.flagNamed(arg)
		all, isValue = append(all, arg), f != nil && f.value != ""
	}
	return all
}

// ourFlag returns our flag for one that may be another tool's; empty for -g, which has no
// effect here.
func (o *Options) ourFlag(arg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
	rate, isRate := strings.CutPrefix(arg, "-F")
	switch {
	case !strings.HasPrefix(arg, "-"):
	case arg == "-g":
		return ""
	case arg == "-F":
		return "--rate"
	case isRate:
		return "--rate=" + strings.TrimPrefix(rate, "=")
	case len(name) > 1 && o.row(name) != nil:
		return "-" + arg
	}
	return arg
}

// habits removes the first word if it is that of another tool's command line and the rest
// names a process.
func (o *Options) habits(args []string) []string {
	if len(args) == 1 && args[0] == versionWord && o.flags.NFlag() == 0 {
		o.version = true
		return nil
	}
	if len(args) == 0 || !slices.Contains([]string{recordWord, dumpWord, sampleWord}, args[0]) || !o.namesMore(args[1:]) {
		return args
	}
	o.records = args[0] == recordWord
	return args[1:]
}

// namesMore reports whether the command line names a process beside its first word.
func (o *Options) namesMore(rest []string) bool {
	if named := o.hasTarget() || len(o.Targets) > 0; named || len(rest) == 0 {
		return named
	}
	pid, err := strconv.Atoi(rest[0])
	return err == nil && o.runs(pid) || err != nil && !isFile(rest[0])
}

// sleeps replaces the command sleep 10, by which users of perf set the time to record, by the
// duration.
func (o *Options) sleeps(args []string) []string {
	isSleep := func(words []string) bool {
		return o.records && len(o.Targets) > 0 && len(words) == 2 && filepath.Base(words[0]) == "sleep"
	}
	switch {
	case isSleep(args):
		return args[1:]
	case isSleep(o.Command) && len(args) == 0:
		args, o.Command = o.Command[1:], nil
	}
	return args
}

// eachPID splits targets that are lists of pids, such as 1,2,3.
func eachPID(targets []string) (all []string) {
	for _, target := range targets {
		parts := strings.Split(target, ",")
		if slices.ContainsFunc(parts, func(part string) bool { _, err := strconv.Atoi(part); return err != nil }) {
			parts = []string{target}
		}
		all = append(all, parts...)
	}
	return all
}
