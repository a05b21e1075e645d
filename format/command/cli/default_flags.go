package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// DefaultsVariable names the environment variable with flags for every call.
const DefaultsVariable = "STACKSNAP_FLAGS"

// setting is a flag that is given by default.
type setting struct{ name, value string }

// withDefaults reads the command line that bare was read from again, with defaults. It
// leaves out those that the line gives itself, that exclude what it gives, or that mean
// nothing without a flag that it does not give.
func (bare *Options) withDefaults(args []string, text string) (*Options, error) {
	defaults, err := settings(text)
	if err != nil {
		return nil, UsageError{Err: inVariable(err)}
	}
	defaults = slices.DeleteFunc(defaults, func(s setting) bool {
		return bare.IsSet(s.name) || s.name == "format" && bare.namesTell()
	})
	for {
		o, err := apply(defaults, args, bare.runs)
		if err != nil {
			return nil, err
		}
		err = o.check()
		fewer := without(defaults, err)
		if len(fewer) == len(defaults) {
			return o, whose(err, bare)
		}
		defaults = fewer
	}
}

// apply reads a command line over defaults.
func apply(defaults []setting, args []string, runs func(pid int) bool) (*Options, error) {
	o := newOptions()
	o.runs = runs
	for _, s := range defaults {
		if err := o.flags.Set(s.name, s.value); err != nil {
			return nil, UsageError{Err: inVariable(o.explained(err))}
		}
	}
	return o, o.read(args)
}

// settings reads defaults, and refuses what would be wrong in every call.
func settings(text string) ([]setting, error) {
	args, err := splitWords(text)
	if err != nil {
		return nil, err
	}
	var all []setting
	o := newOptions()
	err = o.flags.ParseAll(args, func(f *pflag.Flag, value string) error {
		all = append(all, setting{f.Name, value})
		if o.row(f.Name).callOnly {
			return fmt.Errorf("--%s is not for every call: leave it out", f.Name)
		}
		return o.flags.Set(f.Name, value)
	})
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return nil, errors.New("--help is not for every call: leave it out")
	case err != nil:
		return nil, o.explained(err)
	case o.flags.ArgsLenAtDash() >= 0 || o.flags.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag: only flags may be given for every call", strings.Join(o.flags.Args(), " "))
	}
	return all, errors.Join(o.checkValues(), o.contradiction())
}

// contradiction is the error of defaults that exclude each other. What one of them
// needs may be on the command line.
func (o *Options) contradiction() error {
	for i := range rules {
		if err := o.breaks(&rules[i]); err != nil && rules[i].with != "" {
			return err
		}
	}
	return nil
}

// without leaves out a default that has broken a rule.
func without(defaults []setting, err error) []setting {
	var conflict *conflictError
	if !errors.As(err, &conflict) {
		return defaults
	}
	return slices.DeleteFunc(slices.Clone(defaults), func(s setting) bool {
		return slices.ContainsFunc(conflict.terms, func(term string) bool {
			name, _, _ := strings.Cut(term, "=")
			return name == s.name
		})
	})
}

// whose names the variable in an error that the command line alone does not have.
func whose(err error, bare *Options) error {
	if err == nil || bare.check() != nil {
		return err
	}
	return UsageError{Err: inVariable(err)}
}

func inVariable(err error) error { return fmt.Errorf("%s: %w", DefaultsVariable, err) }
