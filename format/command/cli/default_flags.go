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

// setting is a flag from STACKSNAP_FLAGS.
type setting struct{ name, value string }

// effect returns the flag that the setting has the effect of: -o it.snap is --save it.snap.
func (s setting) effect() string {
	if s.name == "output" && isRecordingName(s.value) {
		return "save"
	}
	return s.name
}

// withDefaults parses the command line again, with the default flags in text. It drops a
// default if the command line sets that flag itself, sets a flag that excludes it, or lacks
// a flag that it needs. bare is the command line parsed without defaults.
func (bare *Options) withDefaults(args []string, text string) (*Options, error) {
	defaults, err := settings(text)
	if err != nil {
		return nil, UsageError{Err: inVariable(err)}
	}
	defaults = slices.DeleteFunc(defaults, func(s setting) bool {
		return bare.IsSet(s.effect()) || s.name == "format" && bare.namesTell()
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

// apply parses a command line after setting the defaults.
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

// settings parses the default flags, and returns an error if they could not be valid in any
// call.
func settings(text string) ([]setting, error) {
	args, err := splitWords(text)
	if err != nil {
		return nil, err
	}
	var all []setting
	o := newOptions()
	err = o.flags.ParseAll(o.ours(args), func(f *pflag.Flag, value string) error {
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

// contradiction returns an error if two of the defaults exclude each other. It ignores
// flags that a default needs, as the command line may have them.
func (o *Options) contradiction() error {
	for i := range rules() {
		if err := o.breaks(&rules()[i]); err != nil && rules()[i].with != "" {
			return err
		}
	}
	return nil
}

// without returns the defaults without those that err, a broken rule, names.
func without(defaults []setting, err error) []setting {
	var conflict *conflictError
	if !errors.As(err, &conflict) {
		return defaults
	}
	return slices.DeleteFunc(slices.Clone(defaults), func(s setting) bool {
		return slices.ContainsFunc(conflict.terms, func(term string) bool {
			name, _, _ := strings.Cut(term, "=")
			return name == s.effect()
		})
	})
}

// whose adds the name of the variable with the default flags to err, unless the command line
// fails without these flags, too.
func whose(err error, bare *Options) error {
	if err == nil || bare.check() != nil {
		return err
	}
	return UsageError{Err: inVariable(err)}
}

func inVariable(err error) error { return fmt.Errorf("%s: %w", DefaultsVariable, err) }
