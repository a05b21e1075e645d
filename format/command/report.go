package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format"
	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/report"
)

// extensions lists those of all forms.
func extensions() string {
	var all []string
	for _, f := range format.All() {
		all = append(all, f.Extensions...)
	}
	return strings.Join(all, ", ")
}

// namesOf are the names of some forms, and formsThat has them as rules do.
func namesOf(wanted func(format.Format) bool) (names []string) {
	for _, f := range format.All() {
		if wanted(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func formsThat(wanted func(format.Format) bool) string {
	return "format=" + strings.Join(namesOf(wanted), " format=")
}

// formats are the names of the forms.
func formats() []string { return namesOf(func(format.Format) bool { return true }) }

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

// write writes the profiles to all places that the report goes to.
func (c *call) write(profiles ...*profile.Profile) error {
	shown := make([]*profile.Profile, len(profiles))
	for i, p := range profiles {
		shown[i] = c.shown(p)
	}
	queued := c.queue(&profile.Group{Tool: c.tool(), Profiles: profiles}, nil) // first, for a reader of standard output may end this program
	err := c.writeAll(func(w io.Writer, d *destination) error { return c.formatAll(w, d, shown) })
	return errors.Join(err, queued, c.deliver())
}

// writeAll writes to each place that the report goes to. One that fails does not
// keep it from the others.
func (c *call) writeAll(write func(io.Writer, *destination) error) error {
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
func (c *call) writeBy(d *destination, write func(io.Writer) error) error {
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
func (c *call) formatAll(w io.Writer, d *destination, profiles []*profile.Profile) error {
	if d.form.Whole && len(profiles) > 1 {
		return c.writeReport(w, d, report.OfGroup(&profile.Group{Tool: c.tool(), Profiles: profiles}))
	}
	for i, p := range profiles {
		if i > 0 && d.form.Text {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := c.writeReport(w, d, report.Of(p)); err != nil {
			return err
		}
	}
	return nil
}

// writeReport writes a report as the place wants it.
func (c *call) writeReport(w io.Writer, d *destination, r *report.Report) error {
	r.Origin = c.origin()
	return d.form.Write(w, r, c.optionsOf(d))
}

// shown is a profile as --no-inlines, --no-demangle, --merge and the flags of views want
// it.
func (c *call) shown(p *profile.Profile) *profile.Profile {
	p = c.view.of(c.named(p))
	if c.merge {
		p = p.FoldThreads()
	}
	return p
}

// named is a profile of a report, with the functions that --no-inlines and --no-demangle
// want.
func (c *call) named(p *profile.Profile) *profile.Profile {
	c.note(p.Images)
	if c.noInlines {
		p = p.WithoutInlined()
	}
	if c.noDemangle {
		p = p.WithRawNames()
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
