package command

import (
	"fmt"
	"strings"
)

// What the manual says beside the table of flags.
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
	manualEnd = `.SH ENVIRONMENT
.TP
.B STACKSNAP_FLAGS
has flags for every call that does not say otherwise.
.TP
.B DEBUGINFOD_URLS
has the servers that
.B \-\-debuginfod
asks.
.TP
.B NO_COLOR
switches colour off.
.SH EXIT STATUS
.TP
.B 0
fine
.TP
.B 1
anything that is not below
.TP
.B 2
a wrong call
.TP
.B 3
no such process
.TP
.B 4
not permitted; the message says how it can be
.TP
.B 5
the process ended meanwhile; what was captured is printed
.PP
With
.B \-\-
.I COMMAND
it is that of the command.
.SH SEE ALSO
.BR gdb (1),
.BR perf (1),
.BR sample (1)
`
)

// manual is the manual page, in the macros of man(7), made from the table of flags.
func manual(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH STACKSNAP 1 \"\" \"stacksnap %s\" \"User Commands\"\n", roff(version))
	b.WriteString(".SH NAME\nstacksnap \\- print where every thread of a process is\n.SH SYNOPSIS\n.nf\n")
	for line := range strings.Lines(usage) {
		if call, ok := strings.CutPrefix(strings.Replace(line, "usage: ", "       ", 1), "       "); ok {
			b.WriteString(roff(call))
		}
	}
	b.WriteString(".fi\n" + manualText + ".SH OPTIONS\n")
	for _, g := range newOptions().groups() {
		fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
		for i := range g.flags {
			document(&b, &g.flags[i])
		}
	}
	return b.String() + manualEnd
}

// document says of a flag what it does.
func document(b *strings.Builder, f *flag) {
	names := `\fB` + roff("--"+f.name) + `\fR`
	if f.short != "" {
		names = `\fB` + roff("-"+f.short) + `\fR, ` + names
	}
	if f.value != "" {
		names += ` \fI` + roff(f.value) + `\fR`
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", names, roff(f.help))
	if with := company(f.name); with != "" {
		fmt.Fprintf(b, "(%s)\n", roff(with))
	}
	fmt.Fprintf(b, ".br\n.RB \"$ \" \"%s\"\n", strings.ReplaceAll(roff(f.example), `"`, `\(dq`))
}

// roff has a text mean itself: a backslash, a hyphen that is to be typed, and what
// would be a request at the start of a line.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}
