// Package format is the hall of the rooms that write reports: text, jsondoc, pprof, otlp,
// speedscope, chrome, firefox, folded, html and apple, one for each shape. A new format is
// a room, and a row of the table here. All write the same report, that of package report,
// and what they share in words is in package words.
package format

import (
	"slices"
	"sync"

	"stacksnap/format/apple"
	"stacksnap/format/chrome"
	"stacksnap/format/firefox"
	"stacksnap/format/folded"
	"stacksnap/format/html"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/report"
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
)

// Format is a row of the table: a value of --format. What the command line allows,
// completes and lists follows from it, and so do the tests.
type Format struct {
	Name  string
	Write report.Writer

	Extensions []string // of files that are taken for it
	Text       bool     // for people
	Binary     bool     // not for a terminal
	Compressed bool     // also where the name does not say so, but for its own extensions
	Timed      bool     // it tells when each sample was taken, where that is kept
	Whole      bool     // several profiles make one report, not a row of them
	Single     bool     // it is of one process alone, in one snapshot
	Diffs      bool     // it is for comparisons, too
	Hangs      bool     // it is for what a watch reports, and --merge puts threads together
}

// table is made once: the rules of the command line ask for it, again and again.
var table = sync.OnceValue(func() []Format {
	return []Format{
		{Name: "tree", Write: text.Tree, Text: true, Diffs: true, Hangs: true},
		{Name: "summary", Write: text.Summary, Text: true, Whole: true, Diffs: true, Hangs: true},
		{Name: "json", Write: jsondoc.Write, Extensions: []string{".json"}, Diffs: true, Hangs: true},
		{Name: "jsonl", Write: jsondoc.WriteLine, Extensions: []string{".jsonl"}, Diffs: true, Hangs: true},
		{Name: "folded", Write: folded.Write, Extensions: []string{".folded"}, Diffs: true},
		{Name: "pprof", Write: pprof.Write, Extensions: []string{".pb"}, Binary: true, Compressed: true, Whole: true},
		{Name: "speedscope", Write: speedscope.Write, Extensions: []string{".speedscope.json"}, Timed: true, Whole: true},
		{Name: "firefox", Write: firefox.Write, Extensions: []string{".profile.json"}, Timed: true, Whole: true},
		{Name: "chrome", Write: chrome.Write, Extensions: []string{".trace.json"}, Timed: true, Whole: true},
		{Name: "sample", Write: apple.Sample, Whole: true},
		{Name: "spindump", Write: apple.Spindump, Whole: true},
		{Name: "spindump-timeline", Write: apple.SpindumpTimeline, Timed: true, Whole: true},
		{Name: "ips", Write: apple.IPS, Extensions: []string{".ips"}, Single: true},
		{Name: "otlp", Write: otlp.Write, Extensions: []string{".otlp"}, Binary: true, Whole: true},
		{Name: "crash", Write: apple.Crash, Extensions: []string{".crash"}, Single: true},
		{Name: "html", Write: html.Write, Extensions: []string{".html"}, Timed: true, Whole: true, Diffs: true},
	}
})

// All are the formats, in the order in which help lists them.
func All() []Format { return table() }

// Named is the format of a value of --format; others were refused.
func Named(name string) Format {
	all := table()
	return all[max(0, slices.IndexFunc(all, func(f Format) bool { return f.Name == name }))]
}
