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
	value       string   // name of the value in help; empty for a switch
	to          any      // *bool, *int, *float64, *string, *[]string, *time.Duration, or a pflag.Value
	choices     []string // the valid values; nil for any
	zero        string   // advice if 0 is given; empty: 0 is valid
	seconds     bool     // a time without a unit is in seconds
	callOnly    bool     // may not be in STACKSNAP_FLAGS
	brief       string   // its line in --help; empty: it is not there
	help        string   // description
	example     string   // a command line with the flag
}

// group is a titled group of flags in help.
type group struct {
	title string
	flags []flag
}

// bind adds the flag to a flag set, which stores the value in *to. The present value of *to
// is the default.
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
		set.VarP(&timeValue{to, f.seconds}, f.name, f.short, f.help)
	case pflag.Value:
		set.VarP(to, f.name, f.short, f.help)
	}
}

// isNumber reports whether the value is a number or a duration.
func (f *flag) isNumber() bool {
	switch f.to.(type) {
	case *int, *float64, *time.Duration:
		return true
	}
	return false
}

// check returns an error for a value that has the right type and yet is invalid. It refuses
// 0 where 0 means that the flag is not set.
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

// title returns the flag's names and the name of its value, as in help.
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

// either joins words as alternatives: "a, b or c".
func either(words []string) string { return list(words, " or ") }

// list joins words with commas, and the last two with last.
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + last + words[n]
}
