package words

import (
	"github.com/fatih/color"
)

// paint adds the escape sequences of a colour to a text, or none.
type paint func(string) string

// palette are the colours of a report: of names, of doubtful and missing parts, and of
// addresses, which are faint.
type palette struct{ Name, Doubt, Cut, Faint paint }

func newPalette(colored bool) palette {
	if !colored {
		plain := func(s string) string { return s }
		return palette{plain, plain, plain, plain}
	}
	return palette{
		Name:  painter(color.Bold),
		Doubt: painter(color.FgYellow),
		Cut:   painter(color.FgRed),
		Faint: painter(color.Faint),
	}
}

// painter returns a paint that colours any output, as the caller has decided.
func painter(a color.Attribute) paint {
	c := color.New(a)
	c.EnableColor()
	return func(s string) string { return c.Sprint(s) }
}
