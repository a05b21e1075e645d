package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"stacksnap/format/apple"
	"stacksnap/format/chrome"
	"stacksnap/format/firefox"
	"stacksnap/format/folded"
	"stacksnap/format/html"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/output"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

// form is a value of --format.
type form struct {
	name  string
	text  bool // for people
	write func(words.Options) words.Writer
	group func(words.Options) words.GroupWriter
	diff  func(words.Options) words.DiffWriter // nil: it is for profiles alone

	extensions []string // of files that are taken for it
	whole      bool     // several reports make one, not a row
	compressed bool     // also where the name does not say so, but for its own extensions
	binary     bool     // not for a terminal
	watched    bool     // a watch writes it, and --merge puts threads together in it
	timed      bool     // it tells when each sample was taken, where that is kept
}

// forms are those of the report. They are made once: the rules ask for them, again and again.
var forms = sync.OnceValue(func() []form {
	always := func(w words.Writer) func(words.Options) words.Writer {
		return func(words.Options) words.Writer { return w }
	}
	groups := func(w words.GroupWriter) func(words.Options) words.GroupWriter {
		return func(words.Options) words.GroupWriter { return w }
	}
	diffs := func(w words.DiffWriter) func(words.Options) words.DiffWriter {
		return func(words.Options) words.DiffWriter { return w }
	}
	return []form{
		{name: "tree", text: true, watched: true, write: text.Tree, group: text.GroupTree, diff: text.DiffTree},
		{name: "summary", text: true, watched: true, write: text.Brief, group: text.GroupBrief, diff: text.DiffTable, whole: true},
		{name: "json", watched: true, write: always(jsondoc.Write), group: groups(jsondoc.WriteGroup), diff: diffs(jsondoc.WriteDiff), extensions: []string{".json"}},
		{name: "jsonl", watched: true, write: always(jsondoc.WriteLine), group: groups(jsondoc.WriteGroupLine), diff: diffs(jsondoc.WriteDiffLine), extensions: []string{".jsonl"}},
		{name: "folded", write: always(folded.Write), group: groups(folded.WriteGroup), diff: diffs(folded.WriteDiff), extensions: []string{".folded"}},
		{name: "pprof", write: always(pprof.Write), group: groups(pprof.WriteGroup), extensions: []string{".pb"}, whole: true, compressed: true, binary: true},
		{name: "speedscope", write: always(speedscope.Write), group: groups(speedscope.WriteGroup), extensions: []string{".speedscope.json"}, whole: true, timed: true},
		{name: "firefox", write: always(firefox.Write), group: groups(firefox.WriteGroup), extensions: []string{".profile.json"}, whole: true, timed: true},
		{name: "chrome", write: always(chrome.Write), group: groups(chrome.WriteGroup), extensions: []string{".trace.json"}, whole: true, timed: true},
		{name: "sample", write: always(apple.Sample), group: groups(apple.GroupSample)},
		{name: "spindump", write: always(apple.Spindump), group: groups(apple.GroupSpindump), whole: true},
		{name: "spindump-timeline", write: always(apple.SpindumpTimeline), group: groups(apple.GroupSpindumpTimeline), whole: true, timed: true},
		{name: "ips", write: always(apple.IPS), extensions: []string{".ips"}}, // the rules refuse several
		{name: "otlp", write: otlp.Writer, group: otlp.GroupWriter, extensions: []string{".otlp"}, whole: true, binary: true},
		{name: "crash", write: always(apple.Crash), extensions: []string{".crash"}},
		{name: "html", write: always(html.Page), group: groups(html.GroupPage), diff: diffs(html.DiffPage), extensions: []string{".html"}, whole: true, timed: true},
	}
})

// extensions lists those of all forms.
func extensions() string {
	var all []string
	for _, f := range forms() {
		all = append(all, f.extensions...)
	}
	return strings.Join(all, ", ")
}

// namesOf are the names of some forms, and formsThat has them as rules do.
func namesOf(wanted func(form) bool) (names []string) {
	for _, f := range forms() {
		if wanted(f) {
			names = append(names, f.name)
		}
	}
	return names
}

func formsThat(wanted func(form) bool) string {
	return "format=" + strings.Join(namesOf(wanted), " format=")
}

// formats are the names of the forms.
func formats() []string { return namesOf(func(form) bool { return true }) }

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
	if d.form.whole && len(profiles) > 1 {
		return d.form.group(c.optionsOf(d))(w, &profile.Group{Tool: c.tool(), Profiles: profiles})
	}
	write := d.form.write(c.optionsOf(d))
	for i, p := range profiles {
		if i > 0 && (d.form.text || d.form.name == "sample") {
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

// formNamed is the form of a value of --format; others were refused.
func formNamed(name string) form {
	all := forms()
	return all[max(0, slices.IndexFunc(all, func(f form) bool { return f.name == name }))]
}
