// Package manual is the manual by topics: Markdown files that are part of the
// program, and what shows them on a terminal and in man pages.
//
// The files use a part of Markdown that reads well as it is: a title, headings of
// the second level, paragraphs, lists with "- ", code in backticks, and blocks that
// are indented by four columns. No line is longer than 80 columns.
package manual

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Page is a man page, which has some of the topics.
type Page string

// The man pages, by name and section.
const (
	Main    Page = "stacksnap(1)"
	Top     Page = "stacksnap-top(1)"
	Formats Page = "stacksnap-formats(5)"
)

// Topic is a row of the table of topics. Its text is in the file of its name.
type Topic struct {
	Name  string
	Page  Page     // the man page that it is in
	Flags []string // the names of the flags that it documents
}

// Topics is the table of topics, in the order of a first reading.
func Topics() []Topic {
	return []Topic{
		{"report", Main, []string{"merge", "no-inlines", "no-demangle", "color", "no-pager"}},
		{"processes", Main, []string{"pid", "wait", "tree", "all", "follow-waits", "children", "check"}},
		{"threads", Main, []string{"main", "thread", "running", "blocked"}},
		{"waits", Main, nil},
		{"sampling", Main, []string{"duration", "interval", "rate", "count", "jitter"}},
		{"view", Main, []string{"focus", "ignore", "hide", "invert", "min", "depth", "by", "fold-recursion"}},
		{"hang", Main, []string{"hang", "max-hang", "every", "dir", "keep", "exec"}},
		{"top", Top, nil},
		{"diff", Main, []string{"measure", "scale"}},
		{"system", Main, []string{"system"}},
		{"kernel", Main, []string{"kernel"}},
		{"open", Main, []string{"save"}},
		{"names", Main, []string{"symbols", "binaries", "debuginfod"}},
		{"formats", Formats, []string{"format", "output", "open"}},
		{"apple", Formats, nil},
		{"push", Main, []string{"push", "push-headers", "spool"}},
		{"permissions", Main, []string{"sign"}},
		{"cost", Main, []string{"suspend", "no-stop", "max-stop"}},
		{"exit", Main, []string{"version"}},
		{"environment", Main, nil},
		{"figures", Main, nil},
	}
}

// Of returns the topics of a man page.
func Of(p Page) []Topic {
	return slices.DeleteFunc(Topics(), func(t Topic) bool { return t.Page != p })
}

// Text is the whole text of the topic, in Markdown; empty where there is no file.
func (t Topic) Text() string {
	text, err := files.ReadFile(t.Name + ".md")
	if err != nil { // a test requires every file
		return ""
	}
	return string(text)
}

// Title says what the topic is about, in a line.
func (t Topic) Title() string {
	line, _, _ := strings.Cut(t.Text(), "\n")
	return strings.TrimPrefix(line, "# ")
}

// Headings are those of the sections, in order.
func (t Topic) Headings() (all []string) {
	for line := range strings.Lines(t.Text()) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			all = append(all, strings.TrimSpace(heading))
		}
	}
	return all
}

// Section is the text below a heading, with it; empty where there is none such.
func (t Topic) Section(heading string) string {
	_, text, ok := strings.Cut(t.Text(), "\n## "+heading+"\n")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return "## " + heading + "\n" + strings.TrimRight(text, "\n") + "\n"
}
