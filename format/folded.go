package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"stacksnap/format/profile"
)

// Folded writes the folded stacks that flame graphs are made of, as Brendan
// Gregg's stackcollapse programs do: a line for each stack, thread and frames
// from the outermost in with semicolons between, a blank, and the samples in
// which it was seen. Frames are named by function, without the place in it;
// those without a symbol by image and offset. A stack that was cut begins with
// a frame that says so.
func Folded(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriterSize(w, 64<<10)
	for _, t := range p.ByFunction().Threads {
		foldThread(out, p, t)
	}
	return out.Flush()
}

func foldThread(out *bufio.Writer, p *profile.Profile, t *profile.Thread) {
	title := foldedTitle(p, t)
	if t.Empty > 0 {
		fmt.Fprintf(out, "%s;<no stack> %d\n", title, t.Empty*t.Weight())
	}
	var path []string
	for depth, n := range t.Nodes() {
		path = append(path[:depth], foldedFrame(n))
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
	title := "Thread " + threadID(p.Target.OS, t.ID)
	if t.Weight() > 1 {
		title = plural(t.Weight(), "thread") + " like " + threadID(p.Target.OS, t.ID)
	}
	if t.Name != "" {
		title += " " + clean(t.Name, maxText)
	}
	return strings.ReplaceAll(title, ";", ":") // it never ends a line
}

func foldedFrame(n *profile.Node) string {
	name := clean(n.Function, len(n.Function))
	switch {
	case n.Function != "":
	case n.Image != nil && len(n.Also) > 0 && n.Area() >= n.Image.Load:
		name = fmt.Sprintf("%s+0x%x", imageName(n.Image), n.Area()-n.Image.Load)
	case n.Image != nil:
		name = fmt.Sprintf("%s+0x%x", imageName(n.Image), n.Offset)
	case len(n.Also) > 0:
		name = n.Area().String()
	default:
		name = n.PC.String()
	}
	if n.By.Guess() {
		name += " (guess)"
	}
	if n.Cut != nil {
		return "<cut: " + n.Cut.Reason.String() + ">;" + unseparated(name)
	}
	return unseparated(name)
}

// unseparated takes out of a name what readers would split a line at: the
// separator of frames, and a blank before a number at the end, which
// flamegraph.pl takes for a first of two counts.
func unseparated(name string) string {
	name = strings.ReplaceAll(name, ";", ":")
	i := strings.LastIndexByte(name, ' ')
	if i >= 0 && strings.Trim(name[i+1:], "0123456789.") == "" {
		return name[:i] + "_" + name[i+1:]
	}
	return name
}
