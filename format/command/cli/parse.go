package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// ErrNoTarget is the error of a command line that names nothing to look at.
var ErrNoTarget = errors.New("which process? give -p PID, -p NAME, a core, or -- COMMAND (see --help)")

// Parse reads a command line, with the defaults of [defaultsVariable] (a text such
// as a shell splits into words) where it says nothing else; runs reports whether there is a
// process of that pid. The error is a usage
// error, or a *helpError.
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

// read takes up a command line, before anything is judged as a whole.
func (o *Options) read(args []string) error {
	if len(args) > 0 && args[0] == helpWord {
		return o.helpOn(args[1:])
	}
	err := o.flags.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return &HelpError{topic: topicOf(args)}
	case err != nil:
		return UsageError{Err: o.explained(err)}
	}
	return o.arguments()
}

// check completes and refuses what the flags' own types let pass.
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

// findFile reports whether the target, or one of several, is a core, a recording or a report.
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

// checkValues refuses the first value, in the order of the table, that its flag
// does not take.
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

// valuesOf are those of a flag, of which some may be given again.
func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// row returns the row of a flag.
func (o *Options) row(name string) *flag {
	for _, g := range o.groups() {
		if i := slices.IndexFunc(g.flags, func(f flag) bool { return f.name == name }); i >= 0 {
			return &g.flags[i]
		}
	}
	return nil
}

// explained says how to write what was not understood.
func (o *Options) explained(err error) error {
	var invalid *pflag.InvalidValueError
	var lacking *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &unknown) && o.nearest(unknown.GetSpecifiedName()) != "":
		return fmt.Errorf("%w: did you mean --%s", err, o.nearest(unknown.GetSpecifiedName()))
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "duration":
		return fmt.Errorf("%w: give a number with its unit, such as 10s or 250ms", err)
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

// UsageError is a mistake in how stacksnap was called.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }
