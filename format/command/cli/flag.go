package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// flag is a row of the table of flags.
type flag struct {
	name, short string
	value       string   // what help calls its value; empty for a switch
	to          any      // *bool, *int, *float64, *string, *[]string, *time.Duration, or a pflag.Value
	choices     []string // the only values there are; nil for any
	zero        string   // what to give instead of 0, where that means nothing
	callOnly    bool     // no default for every call
	help        string   // what it does
	example     string   // a call with it
}

// group is flags that belong together.
type group struct {
	title string
	flags []flag
}

// bind has a flag set put the flag's value where it belongs. What is there is the
// default.
func (f *flag) bind(set *pflag.FlagSet) {
	switch to := f.to.(type) {
	case *bool:
		set.BoolVarP(to, f.name, f.short, *to, f.help)
	case *int:
		set.IntVarP(to, f.name, f.short, *to, f.help)
	case *float64:
		set.Float64VarP(to, f.name, f.short, *to, f.help)
	case *string:
		set.StringVarP(to, f.name, f.short, *to, f.help)
	case *[]string:
		set.StringArrayVarP(to, f.name, f.short, *to, f.help)
	case *time.Duration:
		set.DurationVarP(to, f.name, f.short, *to, f.help)
	case pflag.Value:
		set.VarP(to, f.name, f.short, f.help)
	}
}

// isNumber reports whether the value counts or measures something.
func (f *flag) isNumber() bool {
	switch f.to.(type) {
	case *int, *float64, *time.Duration:
		return true
	}
	return false
}

// check refuses a value that the flag's type lets pass. A zero that was given
// where none has a meaning would be taken for a flag that was not given.
func (f *flag) check(value string) error {
	switch {
	case value == "" && f.value != "":
		return fmt.Errorf("--%s needs a %s", f.name, f.value)
	case f.choices != nil && !slices.Contains(f.choices, value):
		return fmt.Errorf("--%s is %s, not %q", f.name, either(f.choices), value)
	case f.isNumber() && strings.HasPrefix(value, "-"):
		return fmt.Errorf("--%s cannot be negative", f.name)
	case f.zero != "" && (value == "0" || value == "0s"):
		return fmt.Errorf("--%s cannot be 0: %s", f.name, f.zero)
	}
	return nil
}

// title is the flag as help lists it: its names and its value.
func (f *flag) title() string {
	title := "--" + f.name
	if f.short != "" {
		title = "-" + f.short + ", " + title
	}
	if f.value != "" {
		title += " " + f.value
	}
	return title
}

// either lists words of which one is meant: "a, b or c".
func either(words []string) string { return list(words, " or ") }

// list lists words, with another word between the last two.
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + last + words[n]
}
