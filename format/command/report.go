package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"stacksnap/format"
	"stacksnap/format/output"
	"stacksnap/format/profile"
)

// form is a value of --format.
type form struct {
	name  string
	write func(format.Options) format.Writer
}

// forms are those of the report.
func forms() []form {
	always := func(w format.Writer) func(format.Options) format.Writer {
		return func(format.Options) format.Writer { return w }
	}
	return []form{
		{"tree", format.Tree},
		{"json", always(format.JSON)},
		{"jsonl", always(format.JSONLine)},
		{"folded", always(format.Folded)},
	}
}

// formats are the names of the forms.
func formats() (names []string) {
	for _, f := range forms() {
		names = append(names, f.name)
	}
	return names
}

// report writes the profile, if there is one, and joins what went wrong before.
func (c *call) report(p *profile.Profile, err error) error {
	if p == nil {
		return err
	}
	return errors.Join(err, c.write(p), c.missing(p))
}

// missing is the error that no thread is of those which were named.
func (c *call) missing(p *profile.Profile) error {
	if len(c.threads) == 0 || len(p.Threads) > 0 {
		return nil
	}
	return fmt.Errorf("no thread matches --thread %s", strings.Join(c.threads, ", "))
}

// write formats before it writes: a slow reader of standard output sees all at
// once.
func (c *call) write(profiles ...*profile.Profile) error {
	if c.toFile() {
		return output.Write(c.output, func(w io.Writer) error { return c.formatAll(w, profiles) })
	}
	var report bytes.Buffer
	if err := c.formatAll(&report, profiles); err != nil {
		return err
	}
	to := c.Out
	if len(c.command) > 0 && c.output != standardOutput {
		to = c.Err // standard output is the program's
	}
	_, err := report.WriteTo(to)
	return err
}

// formatAll formats one profile after another, those for people with a line
// between them.
func (c *call) formatAll(w io.Writer, profiles []*profile.Profile) error {
	write := c.writer()
	for i, p := range profiles {
		if c.merge {
			p = p.FoldThreads()
		}
		if i > 0 && c.format == "tree" {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := write(w, p); err != nil {
			return err
		}
	}
	return nil
}

// writer is that of --format.
func (c *call) writer() format.Writer {
	for _, f := range forms() {
		if f.name == c.format {
			return f.write(format.Options{Color: c.colored()})
		}
	}
	return nil // such a value was refused
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (c *call) colored() bool {
	return c.color == "always" || c.color == "auto" && !color.NoColor && !c.toFile()
}
