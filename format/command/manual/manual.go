// Package manual has the manual: a Markdown file for each topic, and the code that shows
// them on a terminal and in man pages.
//
// The files use a subset of Markdown: a title, headings of the second level, paragraphs,
// lists with "- ", code in backticks, and blocks that are indented by four columns. No line
// is longer than 80 columns.
package manual

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var files embed.FS

// Page is the name of a man page.
type Page string

// The man pages, by name and section.
const (
	Main    Page = "stacksnap(1)"
	Top     Page = "stacksnap-top(1)"
	Formats Page = "stacksnap-formats(5)"
)

// Topic is a row of the table of topics. Its text is in the file NAME.md.
type Topic struct {
	Name  string
	Page  Page     // the man page with this topic
	Flags []string // the names of the flags explained there
}

// Topics returns the table of topics, in the order in which to read them.
func Topics() []Topic {
	return []Topic{
		{"report", Main, []string{"merge", "no-merge", "header", "addresses", "no-inlines", "no-demangle", "color", "no-pager"}},
		{"processes", Main, []string{"pid", "wait", "tree", "all", "follow-waits", "children", "check"}},
		{"threads", Main, []string{"main", "thread", "running", "blocked"}},
		{"waits", Main, nil},
		{"sampling", Main, []string{"duration", "interval", "rate", "count", "jitter"}},
		{"view", Main, []string{"focus", "ignore", "hide", "invert", "min", "depth", "by", "fold-recursion"}},
		{"hang", Main, []string{"hang", "max-hang", "every", "dir", "keep", "exec"}},
		{"top", Top, nil},
		{"diff", Main, []string{"measure", "scale"}},
		{"system", Main, []string{"system"}},
		{"languages", Main, []string{"native", "no-runtimes", "only"}},
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

// Text returns the topic's text in Markdown.
func (t Topic) Text() string {
	text, err := files.ReadFile(t.Name + ".md")
	if err != nil { // a test requires every file
		return ""
	}
	return string(text)
}

// Title returns the topic's title, one line.
func (t Topic) Title() string {
	line, _, _ := strings.Cut(t.Text(), "\n")
	return strings.TrimPrefix(line, "# ")
}

// Headings returns the headings of the topic's sections, in order.
func (t Topic) Headings() (all []string) {
	for line := range strings.Lines(t.Text()) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			all = append(all, strings.TrimSpace(heading))
		}
	}
	return all
}

// Section returns the section with that heading, heading included; empty if there is none.
func (t Topic) Section(heading string) string {
	_, text, ok := strings.Cut(t.Text(), "\n## "+heading+"\n")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return "## " + heading + "\n" + strings.TrimRight(text, "\n") + "\n"
}
