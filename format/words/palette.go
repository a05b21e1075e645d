package words

import (
	"github.com/fatih/color"
)

// paint wraps text in the escape sequences of a colour, or in nothing.
type paint func(string) string

// palette is what stands out in a report: the names, and what is doubtful or
// missing. Addresses step back.
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

// painter colours whatever the output is: the caller has decided.
func painter(a color.Attribute) paint {
	c := color.New(a)
	c.EnableColor()
	return func(s string) string { return c.Sprint(s) }
}
