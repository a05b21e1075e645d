package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/push"
)

// reporter writes the reports of a call to all places that they go to.
type reporter struct {
	streams
	*options
	tool     string                 // the name and version that reports and recordings bear
	Release  func()                 // has a signal end the program at once
	reported func([]*profile.Image) // is told the images of each report
	sender   *push.Sender           // of --push; nil: none
}

// report writes the profile, if there is one, and joins what went wrong before.
func (c *reporter) report(p *profile.Profile, err error) error {
	if p == nil {
		return err
	}
	return errors.Join(err, c.write(p), c.missing(p))
}

// missing is the error that no thread is of those which were named.
func (c *reporter) missing(profiles ...*profile.Profile) error {
	any := slices.ContainsFunc(profiles, func(p *profile.Profile) bool { return len(p.Threads) > 0 })
	if len(c.threads) == 0 || any {
		return nil
	}
	return fmt.Errorf("no thread matches --thread %s", strings.Join(c.threads, ", "))
}

// write writes the profiles to all places that the report goes to.
func (c *reporter) write(profiles ...*profile.Profile) error {
	shown := make([]*profile.Profile, len(profiles))
	for i, p := range profiles {
		shown[i] = c.shown(p)
	}
	queued := c.queue(&profile.Group{Tool: c.tool, Profiles: profiles}, nil) // first, for a reader of standard output may end this program
	err := c.writeAll(func(w io.Writer, d *destination) error { return c.formatAll(w, d, shown) })
	return errors.Join(err, queued, c.deliver())
}

// writeGroup writes several processes to all places that the report goes to.
func (c *reporter) writeGroup(g *profile.Group) error {
	queued := c.queue(g, nil)
	shown := g.Each(c.shown)
	err := c.writeAll(func(w io.Writer, d *destination) error { return d.form.Group(c.optionsOf(d))(w, shown) })
	return errors.Join(err, queued, c.deliver(), c.missing(g.Profiles...))
}

// writeFile writes a profile as it is to a file, whose name tells the form.
func (c *reporter) writeFile(path string, p *profile.Profile) error {
	d := c.destination(path)
	if !d.isFile() {
		return errors.New("give the name of a file")
	}
	return c.writeBy(&d, func(w io.Writer) error {
		return d.compression.Write(w, func(w io.Writer) error { return c.formatAll(w, &d, []*profile.Profile{p}) })
	})
}

// writeAll writes to each place that the report goes to. One that fails does not
// keep it from the others.
func (c *reporter) writeAll(write func(io.Writer, *destination) error) error {
	var errs []error
	for _, d := range c.destinations() {
		err := c.writeBy(&d, func(w io.Writer) error {
			return d.compression.Write(w, func(w io.Writer) error { return write(w, &d) })
		})
		if err == nil && c.browse && d.isPage() {
			c.openPage(d.path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// writeBy writes to a file, a stream, or a terminal, for which it formats all before.
func (c *reporter) writeBy(d *destination, write func(io.Writer) error) error {
	if d.isFile() {
		return output.Write(d.path, write)
	}
	to, _ := c.stream(d)
	if !isTerminal(to) {
		return writeStream(to, write)
	}
	var report bytes.Buffer
	if err := write(&report); err != nil {
		return err
	}
	if c.page(d, report.Bytes()) {
		return nil
	}
	_, err := report.WriteTo(to)
	return err
}

// writeStream writes much at once.
func writeStream(to io.Writer, write func(io.Writer) error) error {
	const atOnce = 64 << 10
	w := bufio.NewWriterSize(to, atOnce)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// formatAll formats one profile after another, texts of several lines with a line
// between them.
func (c *reporter) formatAll(w io.Writer, d *destination, profiles []*profile.Profile) error {
	if d.form.Whole && len(profiles) > 1 {
		return d.form.Group(c.optionsOf(d))(w, &profile.Group{Tool: c.tool, Profiles: profiles})
	}
	write := d.form.Write(c.optionsOf(d))
	for i, p := range profiles {
		if i > 0 && (d.form.Text || d.form.Name == "sample") {
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

// shown is a profile as --no-inlines, --no-demangle, --merge and the flags of views want
// it.
func (c *reporter) shown(p *profile.Profile) *profile.Profile {
	p = c.view.of(c.named(p))
	if c.merge {
		p = p.FoldThreads()
	}
	return p
}

// named is a profile of a report, with the functions that --no-inlines and --no-demangle
// want.
func (c *reporter) named(p *profile.Profile) *profile.Profile {
	c.reported(p.Images)
	if c.noInlines {
		p = p.WithoutInlined()
	}
	if c.noDemangle {
		p = p.WithRawNames()
	}
	return p
}
