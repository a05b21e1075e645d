package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
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
	group func(format.Options) format.GroupWriter
}

// forms are those of the report.
func forms() []form {
	always := func(w format.Writer) func(format.Options) format.Writer {
		return func(format.Options) format.Writer { return w }
	}
	groups := func(w format.GroupWriter) func(format.Options) format.GroupWriter {
		return func(format.Options) format.GroupWriter { return w }
	}
	return []form{
		{"tree", format.Tree, format.GroupTree},
		{"json", always(format.JSON), groups(format.GroupJSON)},
		{"jsonl", always(format.JSONLine), groups(format.GroupJSONLine)},
		{"folded", always(format.Folded), groups(format.GroupFolded)},
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
func (c *call) missing(profiles ...*profile.Profile) error {
	any := slices.ContainsFunc(profiles, func(p *profile.Profile) bool { return len(p.Threads) > 0 })
	if len(c.threads) == 0 || any {
		return nil
	}
	return fmt.Errorf("no thread matches --thread %s", strings.Join(c.threads, ", "))
}

// write formats before it writes: a slow reader of standard output sees all at
// once.
func (c *call) write(profiles ...*profile.Profile) error {
	return c.writeBy(func(w io.Writer) error { return c.formatAll(w, profiles) })
}

// writeBy writes to where the report is to go.
func (c *call) writeBy(write func(io.Writer) error) error {
	if c.toFile() {
		return output.Write(c.output, write)
	}
	var report bytes.Buffer
	if err := write(&report); err != nil {
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
	write := c.form().write(c.formatOptions())
	for i, p := range profiles {
		p = c.shown(p)
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

// shown is a profile as --no-inlines and --merge want it.
func (c *call) shown(p *profile.Profile) *profile.Profile {
	c.note(p.Images)
	if c.noInlines {
		p = p.WithoutInlined()
	}
	if c.merge {
		p = p.FoldThreads()
	}
	return p
}

// note notes the images of a report.
func (c *call) note(list []*profile.Image) {
	c.reported = true
	for _, im := range list {
		if c.indexed != nil {
			c.indexed.Reported(im.ID)
		}
	}
}

// form is that of --format.
func (c *call) form() form {
	all := forms()
	i := slices.IndexFunc(all, func(f form) bool { return f.name == c.format }) // others were refused
	return all[i]
}

func (c *call) formatOptions() format.Options {
	return format.Options{Color: c.colored(), ASCII: c.asciiOnly()}
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (c *call) colored() bool {
	return c.color == "always" || c.color == "auto" && !color.NoColor && !c.toFile()
}
