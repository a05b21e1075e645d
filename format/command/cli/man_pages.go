package cli

import (
	"fmt"
	"strings"

	"stacksnap/format/command/manual"
)

// The fixed text of stacksnap(1) before and after the parts that are made from tables.
const (
	manualText = `.SH DESCRIPTION
stacksnap stops a running program for microseconds, copies the registers and the
stack of every thread, sets it running again, and prints where each thread is: a
call tree with functions, source lines and inlined calls. With
.B \-d
it does so again and again and merges what it sees, with
.B \-\-hang
it waits for the moments at which the program is stuck. It opens core files and
its own recordings of any system, and its own JSON documents. With
.B diff
it compares two recordings, stackshots, JSON documents or profiles of pprof, and says which
functions grew. With
.B top
it shows a process live at a terminal, until q is typed: functions by the time in them,
threads with what they wait for, and the stack of one of them; ? lists the keys.
.PP
The first line of a report says what is wrong, as far as that can be told; then come
the process, its threads, and the images that the frames lie in. What is not sure is
marked, and the marks are explained at the end.
`
	manualEnd = `.SH SEE ALSO
.BR stacksnap\-top (1),
.BR stacksnap\-formats (5),
.BR gdb (1),
.BR perf (1),
.BR sample (1)
`
)

// mainPage returns stacksnap(1) in the macros of man(7), made from the table of flags and
// the topics.
func mainPage(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH STACKSNAP 1 \"\" \"stacksnap %s\" \"User Commands\"\n", manual.Escape(version))
	b.WriteString(".SH NAME\nstacksnap \\- print where every thread of a process is\n.SH SYNOPSIS\n.nf\n")
	for line := range strings.Lines(Usage) {
		if call, ok := strings.CutPrefix(strings.Replace(line, "usage: ", "       ", 1), "       "); ok {
			b.WriteString(manual.Escape(call))
		}
	}
	b.WriteString(".fi\n" + manualText + ".SH OPTIONS\n")
	for _, g := range newOptions().groups() {
		fmt.Fprintf(&b, ".SS %s\n", manual.Escape(g.title))
		for i := range g.flags {
			document(&b, &g.flags[i])
		}
	}
	for _, t := range manual.Of(manual.Main) {
		b.WriteString(t.Roff())
	}
	return b.String() + manualEnd
}

// topicPage returns a man page of topics and the flags that they document.
func topicPage(version string, page manual.Page) string {
	var b strings.Builder
	name, section, _ := strings.Cut(strings.TrimSuffix(string(page), ")"), "(")
	all := manual.Of(page)
	fmt.Fprintf(&b, ".TH %s %s \"\" \"stacksnap %s\"\n", strings.ToUpper(manual.Escape(name)), section, manual.Escape(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", manual.Escape(name), manual.Escape(all[0].Title()))
	o := newOptions()
	for _, t := range all {
		b.WriteString(t.Roff())
		for _, flag := range t.Flags {
			document(&b, o.row(flag))
		}
	}
	return b.String() + ".SH SEE ALSO\n.BR stacksnap (1)\n"
}

// document writes the description of a flag in the macros of man(7).
func document(b *strings.Builder, f *flag) {
	names := `\fB` + manual.Escape("--"+f.name) + `\fR`
	if f.short != "" {
		names = `\fB` + manual.Escape("-"+f.short) + `\fR, ` + names
	}
	if f.value != "" {
		names += ` \fI` + manual.Escape(f.value) + `\fR`
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", names, manual.Escape(f.help))
	if with := company(f.name); with != "" {
		fmt.Fprintf(b, "(%s)\n", manual.Escape(with))
	}
	fmt.Fprintf(b, ".br\n.RB \"$ \" \"%s\"\n", strings.ReplaceAll(manual.Escape(f.example), `"`, `\(dq`))
}
