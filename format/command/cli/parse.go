package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// ErrNoTarget is returned for a command line without a target.
var ErrNoTarget = errors.New("which process? give -p PID, -p NAME, a core, or -- COMMAND (see --help)")

// Parse parses a command line. defaults is the value of [DefaultsVariable]: flags that
// apply unless args contradict them. runs reports whether a process with that pid exists.
// The error is a [UsageError] or a [*HelpError].
func Parse(args []string, defaults string, runs func(pid int) bool) (*Options, error) {
	o, err := apply(nil, args, runs)
	if err != nil {
		return nil, err
	}
	if defaults != "" && !o.version && !o.sign {
		return o.withDefaults(args, defaults)
	}
	return o, o.check()
}

// IsVersion reports whether a command line asks for the version and nothing else, which needs neither
// flags nor signals.
func IsVersion(args []string) bool { return len(args) == 1 && args[0] == "--version" }

// read parses a command line without checking how its flags combine.
func (o *Options) read(args []string) error {
	if len(args) > 0 && args[0] == helpWord {
		return o.helpOn(args[1:])
	}
	err := o.flags.Parse(o.ours(args))
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return &HelpError{topic: topicOf(args)}
	case err != nil:
		return UsageError{Err: o.explained(err)}
	}
	return o.arguments()
}

// check completes the options, and returns an error if values or combinations of flags are
// invalid.
func (o *Options) check() error {
	if o.version {
		return nil
	}
	if err := o.checkValues(); err != nil {
		return UsageError{Err: err}
	}
	o.findFile()
	if err := o.combination(); err != nil {
		return UsageError{Err: err}
	}
	if !o.sign && !o.System && !o.hasTarget() {
		return UsageError{Err: ErrNoTarget}
	}
	o.selectThreads()
	if err := o.checkTogether(); err != nil {
		return UsageError{Err: err}
	}
	return nil
}

// findFile sets o.file if a target is a file to open, and makes the first such file the
// target.
func (o *Options) findFile() {
	if len(o.Command) > 0 || o.Wait != "" {
		return
	}
	o.file = len(o.Compared) > 0
	for _, target := range o.Targets {
		if isFile(target) {
			o.file, o.Target = true, target
			return
		}
	}
}

// checkValues returns an error for the first invalid value of a flag, in the order of the
// table.
func (o *Options) checkValues() error {
	for _, g := range o.groups() {
		for _, f := range g.flags {
			given := o.flags.Lookup(f.name)
			if !given.Changed {
				continue
			}
			for _, value := range valuesOf(given) {
				if err := f.check(value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// valuesOf returns the values of a flag: several if it was given several times.
func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// row returns the row of the table for a flag, or nil.
func (o *Options) row(name string) *flag {
	for _, g := range o.groups() {
		if i := slices.IndexFunc(g.flags, func(f flag) bool { return f.name == name }); i >= 0 {
			return &g.flags[i]
		}
	}
	return nil
}

// explained adds advice to an error of the flag parser.
func (o *Options) explained(err error) error {
	var invalid *pflag.InvalidValueError
	var lacking *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown):
		return o.unknownFlag(unknown)
	case errors.As(err, &invalid):
		return fmt.Errorf("%q %s", invalid.GetValue(), unfit(invalid))
	case errors.As(err, &lacking):
		f := o.row(lacking.GetFlag().Name)
		given := "--" + f.name
		if lacking.GetSpecifiedShortnames() != "" {
			given = "-" + f.short
		}
		return fmt.Errorf("%s needs a %s, as in: %s", given, f.value, f.example)
	}
	return err
}

// unknownFlag returns the error for an unknown flag, with the flag that the user may have
// meant.
func (o *Options) unknownFlag(e *pflag.NotExistError) error {
	name, line := e.GetSpecifiedName(), "unknown flag: --"+e.GetSpecifiedName()
	if group := e.GetSpecifiedShortnames(); group != "" {
		line = "unknown flag: -" + group
	}
	if other := foreignFlags()[name]; other != "" {
		return fmt.Errorf("%s: %s", line, other)
	}
	if near := o.nearest(name); near != "" {
		return fmt.Errorf("%s: did you mean --%s", line, near)
	}
	return errors.New(line + " (see --help)")
}

// unfit returns a phrase on what is wrong with an invalid value. It replaces the messages of
// Go's library.
func unfit(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "int":
		return "is not a whole number"
	case "float64":
		return "is not a number"
	case "bool":
		return "is neither true nor false"
	}
	return e.Unwrap().Error()
}

// UsageError is an error in the command line.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }
