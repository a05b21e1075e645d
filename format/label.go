package format

import (
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// What stands for frames and stacks that are not known, where other programs expect
// names.
const (
	noStack        = "<no stack>"
	betweenSamples = "<between samples>"
	guessMark      = " (guess)"
	kernelMark     = " [k]"
)

// label names a function for other programs, safe for a terminal and in a line:
// without the place in it, and without a symbol by image and offset.
func label(n *profile.Node) string {
	offset := n.Offset
	if len(n.Also) > 0 && n.Image != nil && n.Area() >= n.Image.Load {
		offset = uint64(n.Area() - n.Image.Load)
	}
	address := n.PC
	if len(n.Also) > 0 {
		address = n.Area()
	}
	return marked(n, unmarked(n, offset, address))
}

// areaLabel is label for a frame that is told apart by its address: without a symbol
// it names the area, which is the same for all addresses there.
func areaLabel(n *profile.Node) string {
	offset := n.Offset
	if n.Image != nil && n.Area() >= n.Image.Load {
		offset = uint64(n.Area() - n.Image.Load)
	}
	return marked(n, unmarked(n, offset, n.Area()))
}

// imageLabel names the file that a frame lies in.
func imageLabel(im *profile.Image) string {
	if name := im.Name(); name != "" {
		return clean(name, maxText)
	}
	return "image at " + im.Load.String()
}

func unmarked(n *profile.Node, offset uint64, address task.Addr) string {
	switch {
	case n.Function != "":
		return clean(n.Function, len(n.Function))
	case n.Image != nil:
		return imageLabel(n.Image) + "+0x" + strconv.FormatUint(offset, 16)
	}
	return address.String()
}

// marked says of a frame that it is the kernel's, and that it may be wrong.
func marked(n *profile.Node, name string) string {
	if n.Kernel {
		name += kernelMark
	}
	if n.By.Guess() {
		return name + guessMark
	}
	return name
}

// cutLabel stands for the missing callers of an outermost frame.
func cutLabel(c *profile.Cut) string { return "<cut: " + c.Reason.String() + ">" }

// cutOf is what a text of cutLabel was made of; nil: it is another text.
func cutOf(text string) *profile.Cut {
	name, ok := strings.CutPrefix(strings.TrimSuffix(text, ">"), "<cut: ")
	if !ok {
		return nil
	}
	reason, ok := named(name, unwind.Unsteady)
	if !ok || reason == unwind.Bottom {
		return &profile.Cut{Reason: unwind.NoCaller, Detail: name}
	}
	return &profile.Cut{Reason: reason}
}

// named is the value that has a name, of those from 0 to last.
func named[T interface {
	~uint8
	String() string
}](name string, last T) (T, bool) {
	for v := range last + 1 {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

// threadLabel names a thread, or those that an entry stands for.
func threadLabel(p *profile.Profile, t *profile.Thread) string {
	if t.Together != nil {
		return togetherLabel(t.Together)
	}
	title := "Thread " + threadID(p.Target.OS, t.ID)
	if t.Weight() > 1 {
		title = plural(t.Weight(), "thread") + " like " + threadID(p.Target.OS, t.ID)
	}
	if t.Name != "" {
		title += " " + clean(t.Name, maxText)
	}
	return title
}

// togetherLabel names threads whose samples are put together.
func togetherLabel(g *profile.Together) string {
	switch {
	case g.By == profile.ByState:
		return g.State.String()
	case g.By == profile.ByProcess:
		return "all threads"
	case g.Queue == "":
		return "no dispatch queue"
	}
	return "DispatchQueue " + clean(g.Queue, maxText)
}
