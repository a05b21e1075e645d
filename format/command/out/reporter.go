// Package out writes reports to where they go: files, standard output, a pager, a browser
// and a server. It also prints the lines on standard error.
package out

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/push"
	"stacksnap/format/report"
)

// Reporter writes the reports of a call to all places that they go to.
type Reporter struct {
	Streams
	*cli.Options
	Tool     string                 // the name and version that reports and recordings bear
	Release  func()                 // has a signal end the program at once
	OnReport func([]*profile.Image) // is called with the images of each report
	sender   *push.Sender           // of --push; nil: none
}

// Report writes the profile, if there is one, and joins what went wrong before.
func (c *Reporter) Report(p *profile.Profile, err error) error {
	if p == nil {
		return err
	}
	return errors.Join(err, c.Write(p), c.missing(p))
}

// missing is the error that no thread is of those which were named.
func (c *Reporter) missing(profiles ...*profile.Profile) error {
	any := slices.ContainsFunc(profiles, func(p *profile.Profile) bool { return len(p.Threads) > 0 })
	if len(c.Threads) == 0 || any {
		return nil
	}
	return fmt.Errorf("no thread matches --thread %s", strings.Join(c.Threads, ", "))
}

// Write writes the profiles to all places that the report goes to.
func (c *Reporter) Write(profiles ...*profile.Profile) error {
	g := &profile.Group{Tool: c.Tool, Profiles: profiles}
	shown := g.Each(c.Shown)
	queued := c.Queue(g, nil) // first, for a reader of standard output may end this program
	err := c.WriteAll(func(w io.Writer, d *cli.Destination) error { return c.formatAll(w, d, shown) })
	return errors.Join(err, queued, c.deliver())
}

// WriteGroup writes several processes to all places that the report goes to.
func (c *Reporter) WriteGroup(g *profile.Group) error {
	queued := c.Queue(g, nil)
	shown := report.OfGroup(g.Each(c.Shown))
	err := c.WriteAll(func(w io.Writer, d *cli.Destination) error { return c.WriteReport(w, d, shown) })
	return errors.Join(err, queued, c.deliver(), c.missing(g.Profiles...))
}

// WriteFile writes a profile as it is to a file, whose name tells the form.
func (c *Reporter) WriteFile(path string, p *profile.Profile) error {
	d := c.Destination(path)
	if !d.IsFile() {
		return errors.New("give the name of a file")
	}
	return c.writeBy(&d, func(w io.Writer) error { return c.WriteReport(w, &d, report.Of(p)) })
}

// WriteAll writes to each place that the report goes to. One that fails does not
// keep it from the others.
func (c *Reporter) WriteAll(write func(io.Writer, *cli.Destination) error) error {
	var errs []error
	for _, d := range c.Destinations() {
		err := c.writeBy(&d, func(w io.Writer) error { return write(w, &d) })
		if err == nil && c.OpenPage && d.IsPage() {
			c.openPage(d.Path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// writeBy writes, compressed as the destination is, to a file, a stream, or a terminal, for
// which it formats all before.
func (c *Reporter) writeBy(d *cli.Destination, format func(io.Writer) error) error {
	write := func(w io.Writer) error { return d.Compression.Write(w, format) }
	if d.IsFile() {
		return output.Write(d.Path, write)
	}
	to, _ := c.stream(d)
	if !IsTerminal(to) {
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
func (c *Reporter) formatAll(w io.Writer, d *cli.Destination, g *profile.Group) error {
	if d.Form.Whole && len(g.Profiles) > 1 {
		return c.WriteReport(w, d, report.OfGroup(g))
	}
	for i, p := range g.Profiles {
		if i > 0 && d.Form.Text {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := c.WriteReport(w, d, report.Of(p)); err != nil {
			return err
		}
	}
	return nil
}

// WriteReport writes a report as the place wants it.
func (c *Reporter) WriteReport(w io.Writer, d *cli.Destination, r *report.Report) error {
	r.Origin = c.origin()
	return d.Form.Write(w, r, c.OptionsOf(d))
}

// Shown is a profile as --no-inlines, --no-demangle, --merge and the flags of views want
// it.
func (c *Reporter) Shown(p *profile.Profile) *profile.Profile {
	p = c.View.Apply(c.Named(p))
	if c.Merge {
		p = p.FoldThreads()
	}
	return p
}

// Named is a profile of a report, with the functions that --no-inlines and --no-demangle
// want.
func (c *Reporter) Named(p *profile.Profile) *profile.Profile {
	c.OnReport(p.Images)
	if c.NoInlines {
		p = p.WithoutInlined()
	}
	if c.NoDemangle {
		p = p.WithRawNames()
	}
	return p
}
