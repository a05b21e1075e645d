// Package folded writes folded stacks, of which flamegraph.pl and others draw flame graphs.
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

// Write writes the folded stacks that flame graphs are made of, as Brendan
// Gregg's stackcollapse programs do: a line for each stack, thread and frames
// from the outermost in with semicolons between, a blank, and the samples in
// which it was seen. Frames are named by function, without the place in it;
// those without a symbol by image and offset. A stack that was cut begins with
// a frame that says so. Of several processes each has a frame before that for the thread.
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

// fold writes the stacks of a process, with frames before those of each thread.
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

// foldedTitle is the frame that stands for the thread.
func foldedTitle(p *profile.Profile, t *profile.Thread) string {
	return strings.ReplaceAll(words.ThreadLabel(p, t), ";", ":") // it never ends a line
}

func foldedFrame(n *profile.Node) string {
	if n.Cut != nil {
		return foldedCut(n) + ";" + foldedName(n)
	}
	return foldedName(n)
}

// foldedOutward is foldedFrame in a stack that begins with the innermost frame.
func foldedOutward(n *profile.Node) string {
	if n.Cut != nil {
		return foldedName(n) + ";" + foldedCut(n)
	}
	return foldedName(n)
}

func foldedCut(n *profile.Node) string { return words.CutLabel(n.Cut) }

// foldedName has the mark of the kernel's functions that flamegraph.pl knows.
func foldedName(n *profile.Node) string {
	name := Unseparated(words.Label(n))
	if own, ok := strings.CutSuffix(name, words.KernelMark); ok && n.Kernel {
		return own + "_[k]"
	}
	return name
}

// Unseparated takes out of a name what readers would split a line at: the
// separator of frames, and a blank before a number at the end, which
// flamegraph.pl takes for a first of two counts.
func Unseparated(name string) string {
	name = strings.ReplaceAll(name, ";", ":")
	i := strings.LastIndexByte(name, ' ')
	if i >= 0 && strings.Trim(name[i+1:], "0123456789.") == "" {
		return name[:i] + "_" + name[i+1:]
	}
	return name
}
