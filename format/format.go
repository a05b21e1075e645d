// Package format has the table of output formats. Each format is written by one of the
// packages below: text, jsondoc, pprof, otlp, speedscope, chrome, firefox, folded, svg, html and
// apple. A new format is a new package and a new row of the table. All of them write the
// same report (package report) and take their wording from package words.
package format

import (
	"slices"
	"sync"

	"stacksnap/format/apple"
	"stacksnap/format/apple/crash"
	"stacksnap/format/chrome"
	"stacksnap/format/firefox"
	"stacksnap/format/folded"
	"stacksnap/format/html"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/report"
	"stacksnap/format/speedscope"
	"stacksnap/format/svg"
	"stacksnap/format/text"
)

// Format is a row of the table: one value of --format. What the command line accepts,
// completes and lists is derived from it, and so are the tests.
type Format struct {
	Name  string
	Write report.Writer

	Extensions []string // file name extensions that select this format
	Text       bool     // plain text for people
	Binary     bool     // never printed to a terminal
	Compressed bool     // gzipped, except under a name that ends in one of Extensions
	Timed      bool     // the format has the time of each sample, if the profile kept it
	Whole      bool     // several profiles share one report, instead of one after another
	Single     bool     // the format can hold only one process, in one snapshot
	Diffs      bool     // the format can also show a comparison
	Hangs      bool     // the format can show the report of a watch, and --merge merges threads in it
	Stacks     bool     // the format says nothing of what threads wait for
}

// table returns the table of formats, which is made once because the rules of the command
// line use it often.
var table = sync.OnceValue(func() []Format {
	return []Format{
		{Name: "tree", Write: text.Tree, Text: true, Diffs: true, Hangs: true},
		{Name: "summary", Write: text.Summary, Text: true, Whole: true, Diffs: true, Hangs: true},
		{Name: "json", Write: jsondoc.Write, Extensions: []string{".json"}, Diffs: true, Hangs: true},
		{Name: "jsonl", Write: jsondoc.WriteLine, Extensions: []string{".jsonl"}, Diffs: true, Hangs: true},
		{Name: "folded", Write: folded.Write, Extensions: []string{".folded"}, Diffs: true, Stacks: true},
		{Name: "pprof", Write: pprof.Write, Extensions: []string{".pb"}, Binary: true, Compressed: true, Whole: true, Stacks: true},
		{Name: "speedscope", Write: speedscope.Write, Extensions: []string{".speedscope.json"}, Timed: true, Whole: true, Stacks: true},
		{Name: "firefox", Write: firefox.Write, Extensions: []string{".profile.json"}, Timed: true, Whole: true},
		{Name: "chrome", Write: chrome.Write, Extensions: []string{".trace.json"}, Timed: true, Whole: true},
		{Name: "sample", Write: apple.Sample, Whole: true},
		{Name: "spindump", Write: apple.Spindump, Whole: true},
		{Name: "spindump-timeline", Write: apple.SpindumpTimeline, Timed: true, Whole: true},
		{Name: "ips", Write: crash.IPS, Extensions: []string{".ips"}, Single: true},
		{Name: "otlp", Write: otlp.Write, Extensions: []string{".otlp"}, Binary: true, Whole: true, Stacks: true},
		{Name: "crash", Write: crash.Text, Extensions: []string{".crash"}, Single: true},
		{Name: "svg", Write: svg.Write, Extensions: []string{".svg"}, Whole: true, Stacks: true},
		{Name: "html", Write: html.Write, Extensions: []string{".html"}, Timed: true, Whole: true, Diffs: true},
	}
})

// All returns the formats in the order in which help lists them.
func All() []Format { return table() }

// Named returns the format called name, a value of --format that was already checked.
func Named(name string) Format {
	all := table()
	return all[max(0, slices.IndexFunc(all, func(f Format) bool { return f.Name == name }))]
}
