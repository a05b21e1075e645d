package cli

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// arguments parses the words beside the flags: a command after --, or a target. After a
// pid, the duration in seconds and the interval in milliseconds may follow, as for
// sample(1). If the target is a file, --pid chooses among its processes.
func (o *Options) arguments() error {
	args := o.flags.Args()
	if dash := o.flags.ArgsLenAtDash(); dash >= 0 {
		o.Command, args = args[dash:], args[:dash]
	}
	if err := o.takeRecording(); err != nil {
		return err
	}
	o.Targets = eachPID(o.Targets)
	if len(args) > 0 && args[0] == diffWord && !o.hasTarget() {
		return o.compares(args[1:])
	}
	if len(args) > 0 && args[0] == topWord {
		o.top, args = true, args[1:]
	}
	args = o.sleeps(o.habits(args))
	if len(o.Targets) > 0 && len(args) > 0 && !slices.ContainsFunc(o.Targets, isFile) && isFile(args[0]) {
		o.Within, o.Targets = o.Targets, nil
	}
	if len(o.Targets) > 0 {
		o.Target = o.Targets[0]
	}
	if !o.hasTarget() && len(args) > 0 {
		o.Targets = eachPID(args[:1])
		o.Target, args = o.Targets[0], args[1:]
	}
	if err := o.times(args); err != nil {
		return UsageError{Err: err}
	}
	return nil
}

// times parses the duration in seconds and the interval in milliseconds after a target.
func (o *Options) times(args []string) error {
	units := []struct {
		flag string
		one  time.Duration
	}{{"duration", time.Second}, {"interval", time.Millisecond}}
	for i, arg := range args {
		if i == len(units) {
			return unexpected(arg)
		}
		unit := units[i]
		n, err := strconv.ParseFloat(arg, 64)
		switch {
		case err != nil || !(n*float64(unit.one) >= 1 && n*float64(unit.one) < 1<<62):
			return o.surplus(args, i)
		case o.IsSet(unit.flag):
			return fmt.Errorf("%q is a --%s, and that is given already (see --help)", arg, unit.flag)
		}
		if unit.one == time.Second {
			if err := checkSeconds(n, o.runs); err != nil {
				return err
			}
		}
		if err := o.flags.Set(unit.flag, time.Duration(n*float64(unit.one)).String()); err != nil {
			return err
		}
	}
	return nil
}

func unexpected(arg string) error { return fmt.Errorf("unexpected argument %q (see --help)", arg) }

// surplus returns an error with advice for the unexpected word args[i] after the target. It
// is most likely another file, as when a shell expands *.snap, or an argument of a program.
func (o *Options) surplus(args []string, i int) error {
	switch {
	case o.Target == "":
		return unexpected(args[i])
	case isFile(o.Target) && isFile(args[i]):
		return fmt.Errorf(`%q and %q are files: one at a time, as in: for f in *.snap; do stacksnap "$f"; done`, o.Target, args[i])
	case !isFile(o.Target) && IsRegular(o.Target):
		return fmt.Errorf("%q is a program: to start it with arguments: stacksnap -- %s", o.Target, shellWords(append([]string{InFolder(o.Target)}, args...)))
	}
	return fmt.Errorf("unexpected argument %q after %q: for several processes give -p again (see --help)", args[i], o.Target)
}

// A number of seconds up to plainSeconds, or a multiple of a minute, is taken for a
// duration even if a process has that pid.
const (
	plainSeconds = 300
	minute       = 60
)

// checkSeconds returns an error if a duration in seconds after a pid looks like a second
// pid: a process has that pid, and it is an unlikely duration.
func checkSeconds(seconds float64, running func(pid int) bool) error {
	pid := int(seconds)
	if float64(pid) != seconds || pid <= plainSeconds || pid%minute == 0 || !running(pid) {
		return nil
	}
	return fmt.Errorf("%d is a process as well: for several give each with -p; or to sample for so many seconds, give -d %ds", pid, pid)
}

// topicOf returns the topic after the first --help or -h; empty if there is none.
func topicOf(args []string) string {
	for i, arg := range args {
		switch arg {
		case "--":
			return ""
		case "--help", "-h":
			if i+1 < len(args) && slices.Contains(topics(), args[i+1]) {
				return args[i+1]
			}
			return ""
		}
	}
	return ""
}

// topWord is the first word of the command line of a live view.
const topWord = "top"

// IsBare reports whether a command line has no target and no flags.
func IsBare(args []string) bool { return len(args) == 0 || len(args) == 1 && args[0] == topWord }
