package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"stacksnap/format/command/manual"
)

// helpWidth is the columns that help has, and helpTitle those of a group's title.
const (
	helpWidth = 80
	helpTitle = 9
)

// Usage is what calls look like.
const Usage = `usage: stacksnap -p PID|NAME [flags]           where its threads are, once
       stacksnap top -p PID|NAME [flags]       live: functions, threads, a stack
       stacksnap -p PID|NAME -d 10s [flags]    samples over time; --hang: hangs
       stacksnap PID [SECONDS [MILLISECONDS]]  as sample(1) has it
       stacksnap [flags] -- COMMAND [ARG...]   a program, from start to end
       stacksnap FILE [flags]                  a core, a recording or a report
       stacksnap diff BEFORE AFTER [flags]     which functions grew
stacksnap help lists topics, --help the flags, --help all explains every flag.
`

// exitCodes ends the long help.
const exitCodes = `exit codes: 0 fine; 2 usage; 3 no such process; 4 not permitted;
5 the target exited meanwhile (what was captured is printed); 1 anything else;
with -- COMMAND, that of the command
`

// defaultsNote is on the environment.
const defaultsNote = DefaultsVariable + ` has flags for every call that does not say otherwise.
`

// topicsNote is on what else is made from the table of flags.
const topicsNote = `stacksnap help lists the topics of the manual; --help man, man-top and
man-formats print it as man pages, and --help bash, zsh or fish what completes
calls.
`

// HelpError says that help is wanted.
type HelpError struct {
	topic  string // one of [topics], or empty
	Manual string // of the manual, in Markdown; empty: what the topic says
}

func (e *HelpError) Error() string { return "help is wanted" }

// Made is what is made from the table of flags.
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

// shortHelp fits a terminal of 24 lines: the flags by groups.
func shortHelp() string {
	var b strings.Builder
	b.WriteString(Usage)
	for _, g := range newOptions().groups() {
		titles := make([]string, len(g.flags))
		for i := range g.flags {
			titles[i] = g.flags[i].title()
		}
		fmt.Fprintf(&b, "%-*s%s\n", helpTitle, g.title, wrap(titles, "  ", helpTitle))
	}
	fmt.Fprintf(&b, "%-*s%s\n", helpTitle, "formats", wrap(formats(), " ", helpTitle))
	return b.String()
}

// longHelp says of every flag what it does, and gives an example.
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

// explain says of a flag what it does.
func explain(b *strings.Builder, f *flag) {
	const column = 6
	fmt.Fprintf(b, "  %s\n      %s\n", f.title(), wrap(strings.Fields(f.help), " ", column))
	if with := company(f.name); with != "" {
		fmt.Fprintf(b, "      (%s)\n", wrap(strings.Fields(with), " ", column+1))
	}
	fmt.Fprintf(b, "      $ %s\n", f.example)
}

// company says which flags a flag needs and which it excludes, by the rules.
func company(name string) string {
	var parts, not []string
	ofValue := map[string][]string{}
	for i := range rules {
		r := &rules[i]
		if r.with == "" && slices.Contains(strings.Fields(r.flags), name) {
			parts = append(parts, "only with "+either(spelled(strings.Fields(r.needs))))
		}
		values, excluded := r.excludes(name)
		if values == "" {
			not = append(not, excluded...)
		} else {
			ofValue[values] = append(ofValue[values], excluded...)
		}
	}
	if len(not) > 0 {
		parts = append(parts, "not with "+either(spelled(not)))
	}
	for _, value := range slices.Sorted(maps.Keys(ofValue)) {
		parts = append(parts, value+" not with "+either(spelled(ofValue[value])))
	}
	return strings.Join(parts, "; ")
}

// excludes returns the terms beside which the rule refuses a flag, or values of it.
func (r *rule) excludes(name string) (values string, terms []string) {
	if r.needs != "" {
		return "", nil
	}
	flags, with := strings.Fields(r.flags), strings.Fields(r.with)
	for _, sides := range [][2][]string{{flags, with}, {with, flags}} {
		var of []string
		for _, term := range sides[0] {
			if flag, value, ok := strings.Cut(term, "="); flag == name && ok {
				of = append(of, value)
			}
		}
		if len(of) > 0 || slices.Contains(sides[0], name) {
			return either(of), slices.DeleteFunc(sides[1], func(term string) bool { return term == name })
		}
	}
	return "", nil
}

// wrap puts words with a gap between them into lines that begin in a column and
// end before the last.
func wrap(words []string, gap string, column int) string {
	var b strings.Builder
	at := column
	for i, w := range words {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case at+len(gap)+n >= helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", column))
			at = column
		default:
			b.WriteString(gap)
			at += len(gap)
		}
		b.WriteString(w)
		at += n
	}
	return b.String()
}
