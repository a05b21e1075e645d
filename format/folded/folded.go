// Package folded writes folded stacks, the input of flamegraph.pl and similar programs.
package folded

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// Write writes folded stacks as Brendan Gregg's stackcollapse programs do: for each stack a
// line with the thread and the frames from the outermost, separated by semicolons, then a
// blank and the number of samples. Frames are named by function, or by image and offset if
// there is no symbol. A truncated stack begins with a frame that says so. With several
// processes, each line begins with the process.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if r.Diff != nil {
		foldDiff(out, r.Diff)
	}
	for _, p := range r.Profiles {
		before := ""
		if r.Several {
			before = strings.ReplaceAll(words.ProcessLabel(p), ";", ":") + ";"
		}
		fold(out, p, before)
	}
	return out.Flush()
}

// fold writes the stacks of a process. before is put in front of each line.
func fold(out *bufio.Writer, p *profile.Profile, before string) {
	for t := range words.ThreadsByFunction(p) {
		foldThread(out, p, before+foldedTitle(p, t), t)
	}
}

func foldThread(out *bufio.Writer, p *profile.Profile, title string, t *profile.Thread) {
	if t.Empty > 0 {
		fmt.Fprintf(out, "%s;%s %d\n", title, words.NoStack, t.Empty*t.Weight())
	}
	frame := foldedFrame
	if p.View != nil && p.View.Inverted {
		frame = foldedOutward
	}
	var path []string
	for depth, n := range t.Nodes() {
		path = append(path[:depth], frame(n))
		if n.Self > 0 {
			_, _ = out.WriteString(title) // the buffer keeps the error for Flush
			for _, frame := range path {
				_, _ = out.WriteString(";" + frame)
			}
			fmt.Fprintf(out, " %d\n", n.Self*t.Weight())
		}
	}
}

// foldedTitle returns the outermost frame, which names the thread.
func foldedTitle(p *profile.Profile, t *profile.Thread) string {
	return strings.ReplaceAll(words.ThreadLabel(p, t), ";", ":") // a label has no line end
}

func foldedFrame(n *profile.Node) string {
	if n.Cut != nil {
		return foldedCut(n) + ";" + foldedName(n)
	}
	return foldedName(n)
}

// foldedOutward is foldedFrame for a stack that begins with the innermost frame.
func foldedOutward(n *profile.Node) string {
	if n.Cut != nil {
		return foldedName(n) + ";" + foldedCut(n)
	}
	return foldedName(n)
}

func foldedCut(n *profile.Node) string { return words.CutLabel(n.Cut) }

// foldedName returns the name of a frame. Functions of the kernel end in _[k], which
// flamegraph.pl recognises.
func foldedName(n *profile.Node) string {
	name := Unseparated(words.Label(n))
	if own, ok := strings.CutSuffix(name, words.KernelMark); ok && n.Kernel {
		return own + "_[k]"
	}
	return name
}

// Unseparated replaces the characters in a name at which readers would split a line:
// semicolons, and a blank before a number at the end, which flamegraph.pl takes for the
// first of two counts.
func Unseparated(name string) string {
	name = strings.ReplaceAll(name, ";", ":")
	i := strings.LastIndexByte(name, ' ')
	if i >= 0 && strings.Trim(name[i+1:], "0123456789.") == "" {
		return name[:i] + "_" + name[i+1:]
	}
	return name
}
