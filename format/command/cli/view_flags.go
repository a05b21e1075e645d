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

// view is what a report shows of what was captured, and how.
type view struct {
	focus, ignore, hide []string
	invert, noRecursion bool
	Min                 percent
	Depth               int
	By                  string

	patterns struct{ focus, ignore, hide profile.Patterns }
}

// percent is a share of a whole, as a flag has it: 1 and 1% are the same.
type percent float64

// String returns the share with its sign.
func (p *percent) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) + "%" }

// Set takes a share of more than nothing, up to all.
func (p *percent) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(n > 0 && n <= 100) {
		return errors.New("give a share such as 1%")
	}
	*p = percent(n)
	return nil
}

// Type names the kind of value.
func (p *percent) Type() string { return "percent" }

// Groupings are the values of --by.
func Groupings() (names []string) {
	for g := profile.ByThread; g <= profile.ByState; g++ {
		names = append(names, g.String())
	}
	return names
}

// compile reads the regular expressions.
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

// reason is what is wrong with a regular expression.
func reason(err error) string {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return err.Error()
	}
	return fmt.Sprintf("%s in %q", bad.Code, bad.Expr)
}

// Apply is a profile as the flags want it.
func (v *view) Apply(p *profile.Profile) *profile.Profile {
	p = v.Select(p).GroupBy(profile.Grouping(slices.Index(Groupings(), v.By)))
	if v.Min > 0 || v.Depth > 0 {
		p = p.ByFunction().Prune(float64(v.Min), v.Depth)
	}
	return p
}

// Select is what is chosen of a profile, turned where that is wanted.
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
