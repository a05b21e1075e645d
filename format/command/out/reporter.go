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

// Reporter writes the reports of a call to all their destinations.
type Reporter struct {
	Streams
	*cli.Options
	Tool     string                 // name and version, as reports and recordings give them
	Release  func()                 // lets the next signal end the program at once
	OnReport func([]*profile.Image) // called with the images of each report
	sender   *push.Sender           // sender of --push; nil: none
}

// Report writes a profile unless it is nil. It returns err joined with the errors of
// writing.
func (c *Reporter) Report(p *profile.Profile, err error) error {
	if p == nil {
		return err
	}
	return errors.Join(err, c.Write(p), c.missing(p))
}

// missing returns an error if none of the threads that --thread chooses was found.
func (c *Reporter) missing(profiles ...*profile.Profile) error {
	any := slices.ContainsFunc(profiles, func(p *profile.Profile) bool { return len(p.Threads) > 0 })
	if len(c.Threads) == 0 || any {
		return nil
	}
	return fmt.Errorf("no thread matches --thread %s", strings.Join(c.Threads, ", "))
}

// Write writes profiles to all destinations.
func (c *Reporter) Write(profiles ...*profile.Profile) error {
	g := &profile.Group{Tool: c.Tool, Profiles: profiles}
	shown := g.Each(c.Shown)
	queued := c.Queue(g, nil) // first, for a reader of standard output may end this program
	err := c.WriteAll(func(w io.Writer, d *cli.Destination) error { return c.formatAll(w, d, shown) })
	return errors.Join(err, queued, c.deliver())
}

// WriteGroup writes the report on several processes to all destinations.
func (c *Reporter) WriteGroup(g *profile.Group) error {
	queued := c.Queue(g, nil)
	shown := report.OfGroup(g.Each(c.Shown))
	err := c.WriteAll(func(w io.Writer, d *cli.Destination) error { return c.WriteReport(w, d, shown) })
	return errors.Join(err, queued, c.deliver(), c.missing(g.Profiles...))
}

// WriteFile writes a profile to a file, without applying the flags of views. The file's
// name selects the format.
func (c *Reporter) WriteFile(path string, p *profile.Profile) error {
	d := c.Destination(path)
	if !d.IsFile() {
		return errors.New("give the name of a file")
	}
	if err := c.CheckReportName(path); err != nil {
		return err
	}
	return c.writeBy(&d, func(w io.Writer) error { return c.WriteReport(w, &d, report.Of(p)) })
}

// WriteAll calls write for each destination. A failure at one does not prevent the others.
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

// writeBy opens the destination, a file, stream or terminal, and writes to it through
// format, compressed if the destination is. A report for a terminal is formatted completely
// first.
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
	if c.page(d, to, report.Bytes()) {
		return nil
	}
	_, err := report.WriteTo(to)
	return err
}

// writeStream writes to a stream in large blocks.
func writeStream(to io.Writer, write func(io.Writer) error) error {
	const atOnce = 64 << 10
	w := bufio.NewWriterSize(to, atOnce)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// formatAll formats the profiles as one report if the format can hold several, otherwise
// one after another. It puts an empty line between texts.
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

// WriteReport writes a report in the destination's format and appearance.
func (c *Reporter) WriteReport(w io.Writer, d *cli.Destination, r *report.Report) error {
	r.Origin = c.origin()
	return d.Form.Write(w, r, c.OptionsOf(d))
}

// Shown applies --no-inlines, --no-demangle, --merge and the flags of views to a profile.
func (c *Reporter) Shown(p *profile.Profile) *profile.Profile {
	p = c.View.Apply(c.Named(p))
	if c.Merge {
		p = p.FoldThreads()
	}
	return p
}

// Named applies --no-inlines and --no-demangle to a profile. It passes the images to
// OnReport.
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
