package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"stacksnap/format/command/manual"
)

// helpWidth is the width of help in columns, and briefColumn the column in which --help
// describes a flag.
const (
	helpWidth   = 80
	briefColumn = 26
)

// Usage lists the kinds of command lines.
const Usage = `usage: stacksnap -p PID|NAME [flags]   where each thread is; what it waits for
       stacksnap                       choose among the busiest processes
       stacksnap top -p PID|NAME       live: functions, threads, a stack
       stacksnap FILE [flags]          open a recording, a core or a report
       stacksnap diff BEFORE AFTER     which functions grew
       stacksnap [flags] -- COMMAND    sample a program from start to end
`

// moreHelp is the end of the short help.
const moreHelp = `stacksnap help lists topics; help TOPIC, FLAG or COMMAND explains one; help all,
every flag.
`

// exitCodes is the end of the long help.
const exitCodes = `exit codes: 0 fine; 2 usage; 3 no such process; 4 not permitted;
5 the target exited meanwhile (what was captured is printed); 1 anything else;
with -- COMMAND, that of the command
`

// defaultsNote is the paragraph of the long help on STACKSNAP_FLAGS.
const defaultsNote = DefaultsVariable + ` has flags for every call that does not say otherwise.
`

// topicsNote is the paragraph of the long help on topics, man pages and completions.
const topicsNote = `stacksnap help lists the topics of the manual; --help man, man-top and
man-formats print it as man pages, and --help bash, zsh or fish what completes
calls.
`

// HelpError is returned by [Parse] if the command line asks for help.
type HelpError struct {
	topic  string // one of [topics], or empty
	Manual string // text of the manual, in Markdown; if it is empty, print Made
}

func (e *HelpError) Error() string { return "help is wanted" }

// Made returns the text for the topic: help, a man page or a completion script.
func (e *HelpError) Made(version string) string {
	switch e.topic {
	case "":
		return shortHelp()
	case "all":
		return longHelp()
	case "man":
		return mainPage(version)
	case "man-top":
		return topicPage(version, manual.Top)
	case "man-formats":
		return topicPage(version, manual.Formats)
	default:
		return completions(e.topic)
	}
}

// shortHelp returns the flags that are needed most, in at most 23 lines: a terminal of 24 has
// room for them and a prompt.
func shortHelp() string {
	var b strings.Builder
	b.WriteString(Usage)
	for _, g := range newOptions().groups() {
		for i := range g.flags {
			if f := &g.flags[i]; f.brief != "" {
				fmt.Fprintf(&b, "  %-*s%s\n", briefColumn-2, f.title(), f.brief)
			}
		}
	}
	return b.String() + moreHelp
}

// longHelp returns the description of every flag, with an example.
func longHelp() string {
	var b strings.Builder
	b.WriteString("stacksnap prints where every thread of a process is.\n\n" + Usage)
	for _, g := range newOptions().groups() {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		for i := range g.flags {
			explain(&b, &g.flags[i])
		}
	}
	return b.String() + "\n" + defaultsNote + topicsNote + exitCodes
}

// explain writes the description of a flag, with an example.
func explain(b *strings.Builder, f *flag) {
	const column = 6
	fmt.Fprintf(b, "  %s\n      %s\n", f.title(), wrap(f.help, column))
	if with := company(f.name); with != "" {
		fmt.Fprintf(b, "      (%s)\n", wrap(with, column+1))
	}
	fmt.Fprintf(b, "      $ %s\n", f.example)
}

// company returns a phrase with the flags that a flag needs, according to the rules. Help
// does not list the flags that it excludes: the error says so if they are given together.
func company(name string) string {
	var parts []string
	for i := range rules() {
		r := &rules()[i]
		if r.with == "" && slices.Contains(strings.Fields(r.flags), name) {
			parts = append(parts, "only with "+either(spelled(strings.Fields(r.needs))))
		}
	}
	return strings.Join(parts, "; ")
}

// wrap breaks a text at blanks into lines that end before column helpWidth. The lines after
// the first are indented to column, in which the first begins.
func wrap(text string, column int) string {
	var b strings.Builder
	at := column
	for i, w := range strings.Fields(text) {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case at+1+n >= helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(w)
		at += n
	}
	return b.String()
}
