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
	one, group, diff, hang := always[words.Writer], always[words.GroupWriter], always[words.DiffWriter], always[words.HangWriter]
	return []Format{
		{Name: "tree", Text: true, Write: text.Tree, Group: text.GroupTree, Diff: text.DiffTree, Hang: text.Hang},
		{Name: "summary", Text: true, Write: text.Summary, Group: text.GroupSummary, Diff: text.DiffTable, Hang: text.HangSummary, Whole: true},
		{Name: "json", Write: one(jsondoc.Write), Group: group(jsondoc.WriteGroup), Diff: diff(jsondoc.WriteDiff), Hang: hang(jsondoc.WriteHang), Extensions: []string{".json"}},
		{Name: "jsonl", Write: one(jsondoc.WriteLine), Group: group(jsondoc.WriteGroupLine), Diff: diff(jsondoc.WriteDiffLine), Hang: hang(jsondoc.WriteHang), Extensions: []string{".jsonl"}},
		{Name: "folded", Write: one(folded.Write), Group: group(folded.WriteGroup), Diff: diff(folded.WriteDiff), Extensions: []string{".folded"}},
		{Name: "pprof", Write: one(pprof.Write), Group: group(pprof.WriteGroup), Extensions: []string{".pb"}, Whole: true, Compressed: true, Binary: true},
		{Name: "speedscope", Write: one(speedscope.Write), Group: group(speedscope.WriteGroup), Extensions: []string{".speedscope.json"}, Whole: true, Timed: true},
		{Name: "firefox", Write: one(firefox.Write), Group: group(firefox.WriteGroup), Extensions: []string{".profile.json"}, Whole: true, Timed: true},
		{Name: "chrome", Write: one(chrome.Write), Group: group(chrome.WriteGroup), Extensions: []string{".trace.json"}, Whole: true, Timed: true},
		{Name: "sample", Write: one(apple.Sample), Group: group(apple.GroupSample)},
		{Name: "spindump", Write: one(apple.Spindump), Group: group(apple.GroupSpindump), Whole: true},
		{Name: "spindump-timeline", Write: one(apple.SpindumpTimeline), Group: group(apple.GroupSpindumpTimeline), Whole: true, Timed: true},
		{Name: "ips", Write: one(apple.IPS), Extensions: []string{".ips"}}, // the rules refuse several
		{Name: "otlp", Write: otlp.Writer, Group: otlp.GroupWriter, Extensions: []string{".otlp"}, Whole: true, Binary: true},
		{Name: "crash", Write: one(apple.Crash), Extensions: []string{".crash"}},
		{Name: "html", Write: one(html.Page), Group: group(html.GroupPage), Diff: diff(html.DiffPage), Extensions: []string{".html"}, Whole: true, Timed: true},
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
