// Package format is the hall of the rooms that write reports: text, jsondoc, pprof, otlp,
// speedscope, chrome, firefox, folded, html and apple, one for each shape. A new format is
// a room, and a row of the table here. All read the same model, that of package profile,
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
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
	"stacksnap/format/words"
)

// Format is a value of --format.
type Format struct {
	Name  string
	Text  bool // for people
	Write func(words.Options) words.Writer
	Group func(words.Options) words.GroupWriter // nil: it is of one process alone
	Diff  func(words.Options) words.DiffWriter  // nil: it is for profiles alone
	// Hang is for what a watch reports, which no other form is for. Where it is not nil,
	// --merge puts threads together, too.
	Hang func(words.Options) words.HangWriter

	Extensions []string // of files that are taken for it
	Whole      bool     // several reports make one, not a row
	Compressed bool     // also where the name does not say so, but for its own extensions
	Binary     bool     // not for a terminal
	Timed      bool     // it tells when each sample was taken, where that is kept
}

// table is made once: the rules of the command line ask for it, again and again.
var table = sync.OnceValue(func() []Format {
	return []Format{
		{Name: "tree", Text: true, Write: text.Tree, Group: text.GroupTree, Diff: text.DiffTree, Hang: text.Hang},
		{Name: "summary", Text: true, Write: text.Brief, Group: text.GroupBrief, Diff: text.DiffTable, Hang: text.HangBrief, Whole: true},
		{Name: "json", Write: always[words.Writer](jsondoc.Write), Group: always[words.GroupWriter](jsondoc.WriteGroup), Diff: always[words.DiffWriter](jsondoc.WriteDiff), Hang: always[words.HangWriter](jsondoc.WriteHang), Extensions: []string{".json"}},
		{Name: "jsonl", Write: always[words.Writer](jsondoc.WriteLine), Group: always[words.GroupWriter](jsondoc.WriteGroupLine), Diff: always[words.DiffWriter](jsondoc.WriteDiffLine), Hang: always[words.HangWriter](jsondoc.WriteHang), Extensions: []string{".jsonl"}},
		{Name: "folded", Write: always[words.Writer](folded.Write), Group: always[words.GroupWriter](folded.WriteGroup), Diff: always[words.DiffWriter](folded.WriteDiff), Extensions: []string{".folded"}},
		{Name: "pprof", Write: always[words.Writer](pprof.Write), Group: always[words.GroupWriter](pprof.WriteGroup), Extensions: []string{".pb"}, Whole: true, Compressed: true, Binary: true},
		{Name: "speedscope", Write: always[words.Writer](speedscope.Write), Group: always[words.GroupWriter](speedscope.WriteGroup), Extensions: []string{".speedscope.json"}, Whole: true, Timed: true},
		{Name: "firefox", Write: always[words.Writer](firefox.Write), Group: always[words.GroupWriter](firefox.WriteGroup), Extensions: []string{".profile.json"}, Whole: true, Timed: true},
		{Name: "chrome", Write: always[words.Writer](chrome.Write), Group: always[words.GroupWriter](chrome.WriteGroup), Extensions: []string{".trace.json"}, Whole: true, Timed: true},
		{Name: "sample", Write: always[words.Writer](apple.Sample), Group: always[words.GroupWriter](apple.GroupSample)},
		{Name: "spindump", Write: always[words.Writer](apple.Spindump), Group: always[words.GroupWriter](apple.GroupSpindump), Whole: true},
		{Name: "spindump-timeline", Write: always[words.Writer](apple.SpindumpTimeline), Group: always[words.GroupWriter](apple.GroupSpindumpTimeline), Whole: true, Timed: true},
		{Name: "ips", Write: always[words.Writer](apple.IPS), Extensions: []string{".ips"}}, // the rules refuse several
		{Name: "otlp", Write: otlp.Writer, Group: otlp.GroupWriter, Extensions: []string{".otlp"}, Whole: true, Binary: true},
		{Name: "crash", Write: always[words.Writer](apple.Crash), Extensions: []string{".crash"}},
		{Name: "html", Write: always[words.Writer](html.Page), Group: always[words.GroupWriter](html.GroupPage), Diff: always[words.DiffWriter](html.DiffPage), Extensions: []string{".html"}, Whole: true, Timed: true},
	}
})

// always is for writers that have no options.
func always[W any](w W) func(words.Options) W { return func(words.Options) W { return w } }

// All are the formats, in the order in which help lists them.
func All() []Format { return table() }

// Named is the format of a value of --format; others were refused.
func Named(name string) Format {
	all := table()
	return all[max(0, slices.IndexFunc(all, func(f Format) bool { return f.Name == name }))]
}
