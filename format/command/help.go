package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// helpWidth is the columns that help has, and helpTitle those of a group's title.
const (
	helpWidth = 80
	helpTitle = 9
)

// usage is what calls look like.
const usage = `usage: stacksnap -p PID|NAME [flags]           one snapshot of a process
       stacksnap -p PID|NAME -d 10s [flags]    samples over time
       stacksnap -p PID|NAME --hang 250ms      its hangs, as they happen
       stacksnap PID [SECONDS [MILLISECONDS]]  as sample(1) has it
       stacksnap [flags] -- COMMAND [ARG...]   a program, from start to end
       stacksnap FILE [flags]                  a core or a recording
stacksnap --help lists the flags, --help all explains them with examples.
`

// exitCodes ends the long help.
const exitCodes = `exit codes: 0 fine; 2 usage; 3 no such process; 4 not permitted;
5 the target exited meanwhile (what was captured is printed); 1 anything else;
with -- COMMAND, that of the command
`

// defaultsNote is on the environment.
const defaultsNote = defaultsVariable + ` has flags for every call that does not say otherwise.
`

// helpError says that help is wanted.
type helpError struct{ all bool }

func (e *helpError) Error() string { return "help is wanted" }

// text is the help that is wanted.
func (e *helpError) text() string {
	if e.all {
		return longHelp()
	}
	return shortHelp()
}

// shortHelp fits a terminal of 24 lines: the flags by groups.
func shortHelp() string {
	var b strings.Builder
	b.WriteString("stacksnap prints where every thread of a process is.\n\n" + usage + "\n")
	for _, g := range newOptions().groups() {
		titles := make([]string, len(g.flags))
		for i := range g.flags {
			titles[i] = g.flags[i].title()
		}
		fmt.Fprintf(&b, "%-*s%s\n", helpTitle, g.title, wrap(titles, "  ", helpTitle))
	}
	fmt.Fprintf(&b, "%-*s%s\n", helpTitle, "formats", wrap(formats(), "  ", helpTitle))
	return b.String() + "\n" + defaultsNote
}

// longHelp says of every flag what it does, and gives an example.
func longHelp() string {
	var b strings.Builder
	b.WriteString("stacksnap prints where every thread of a process is.\n\n" + usage)
	for _, g := range newOptions().groups() {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		for i := range g.flags {
			explain(&b, &g.flags[i])
		}
	}
	return b.String() + "\n" + defaultsNote + exitCodes
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

// company says with what a flag may stand, as the rules have it.
func company(name string) string {
	var parts, not []string
	ofValue := map[string][]string{}
	for i := range rules {
		r := &rules[i]
		if r.with == "" && slices.Contains(strings.Fields(r.flags), name) {
			parts = append(parts, "only with "+either(spelled(strings.Fields(r.needs))))
		}
		value, excluded := r.excludes(name)
		if value == "" {
			not = append(not, excluded...)
		} else {
			ofValue[value] = append(ofValue[value], excluded...)
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

// excludes returns the terms beside which the rule refuses a flag, or a value of
// it.
func (r *rule) excludes(name string) (value string, terms []string) {
	if r.needs != "" {
		return "", nil
	}
	flags, with := strings.Fields(r.flags), strings.Fields(r.with)
	for _, sides := range [][2][]string{{flags, with}, {with, flags}} {
		i := slices.IndexFunc(sides[0], func(term string) bool { return term == name || strings.HasPrefix(term, name+"=") })
		if i < 0 {
			continue
		}
		_, value, _ = strings.Cut(sides[0][i], "=")
		return value, slices.DeleteFunc(sides[1], func(term string) bool { return term == name })
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
