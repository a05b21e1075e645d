package cli

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/profile"
)

// view has the flags that select and fold what a report shows of a profile.
type view struct {
	focus, ignore, hide []string
	invert, noRecursion bool
	Min                 percent
	Depth               int
	By                  string

	patterns struct{ focus, ignore, hide profile.Patterns }
}

// percent is a percentage as the value of a flag; 1 and 1% are the same.
type percent float64

// String returns the number with a percent sign.
func (p *percent) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) + "%" }

// Set parses a percentage from 0 to 100.
func (p *percent) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n >= 0 && n <= 100) {
		return errors.New("is not a share: give one such as 1%")
	}
	*p = percent(n)
	return nil
}

// Type returns the name of the type, for pflag.
func (p *percent) Type() string { return "percent" }

// Groupings returns the values of --by.
func Groupings() (names []string) {
	for g := profile.ByThread; g <= profile.ByState; g++ {
		names = append(names, g.String())
	}
	return names
}

// compile compiles the regular expressions of --focus, --ignore and --hide.
func (v *view) compile() error {
	for _, f := range []struct {
		flag string
		from []string
		to   *profile.Patterns
	}{
		{"focus", v.focus, &v.patterns.focus}, {"ignore", v.ignore, &v.patterns.ignore}, {"hide", v.hide, &v.patterns.hide},
	} {
		*f.to = nil
		for _, text := range f.from {
			re, err := regexp.Compile(text)
			if err != nil {
				return fmt.Errorf("--%s %q is no regular expression: %s", f.flag, text, reason(err))
			}
			*f.to = append(*f.to, re)
		}
	}
	if i := slices.IndexFunc(v.focus, func(re string) bool { return slices.Contains(v.ignore, re) }); i >= 0 {
		return fmt.Errorf("--focus and --ignore are both for %q, which leaves nothing", v.focus[i])
	}
	return nil
}

// reason returns a short description of an invalid regular expression.
func reason(err error) string {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err.Error()
	}
	return fmt.Sprintf("%s in %q", bad.Code, bad.Expr)
}

// Apply returns the profile with all flags of views applied.
func (v *view) Apply(p *profile.Profile) *profile.Profile {
	p = v.Select(p).GroupBy(profile.Grouping(slices.Index(Groupings(), v.By)))
	if v.Min > 0 || v.Depth > 0 {
		p = p.ByFunction().Prune(float64(v.Min), v.Depth)
	}
	return p
}

// Select returns the profile with --focus, --ignore, --hide, --fold-recursion and --invert
// applied.
func (v *view) Select(p *profile.Profile) *profile.Profile {
	p = p.Select(v.patterns.focus, v.patterns.ignore, v.patterns.hide)
	if v.noRecursion {
		p = p.FoldRecursion()
	}
	if v.invert {
		p = p.Invert()
	}
	return p
}
