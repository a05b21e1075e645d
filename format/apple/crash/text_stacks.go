package crash

import (
	"fmt"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// stacks writes the stack of each thread, its innermost frame first.
func (c *textWriter) stacks() {
	for _, t := range c.thrown {
		c.Line("%s:", notation.Plain(t.Name))
		c.frames(t)
	}
	for _, t := range c.threads {
		c.threadLine(t)
		c.frames(t)
	}
	if len(c.threads) == 0 {
		c.Line(noBacktrace)
		c.Line("")
	}
	c.lines(inThreads)
}

// resource is the exception of a process that exceeded a resource limit. One of its
// threads is to blame, but none has crashed.
const resource = "EXC_RESOURCE"

// threadLine writes the line that begins a thread's stack. On iOS the name has a line
// of its own.
func (c *textWriter) threadLine(t *profile.Thread) {
	what, title := "", threadTitle(t)
	if t == c.crashed {
		what = " Crashed"
		if e := newIPSException(c.profile.Target.Crash); e.Type == resource {
			what = " Attributed"
		}
	}
	switch {
	case c.rest.phone && title != "":
		c.Line("Thread %d name:  %s", c.number(t), title)
		title = ""
	case title != "":
		title = ": " + title
	}
	c.Line("Thread %d%s:%s", c.number(t), what, title)
}

// threadTitle returns the name of a thread and of its queue.
func threadTitle(t *profile.Thread) string {
	title := notation.Plain(t.Name)
	if t.Queue == "" {
		return title
	}
	if title != "" {
		title += "  "
	}
	return title + queueMark + notation.Plain(t.Queue)
}

func (c *textWriter) frames(t *profile.Thread) {
	stack := t.Heaviest() // the only one
	if strings.HasPrefix(t.Name, appBacktrace) && isThrown(t) {
		c.Line("%s\n", appFrames(t))
		return
	}
	for i := range stack {
		n := stack[len(stack)-1-i]
		c.Line("%-3d %-30s\t%s %s", i, c.image(n.Image), textAddress(n.PC), textSymbol(n))
	}
	c.Line("")
}

// appFrames returns the text of a stack that the application reported.
func appFrames(t *profile.Thread) string {
	stack := t.Heaviest()
	var lines []string
	for i := range stack {
		n := stack[len(stack)-1-i]
		lines = append(lines, fmt.Sprintf("%-3d %-35s %s %s", i, fileName(n.Image), textAddress(n.PC), appSymbol(n)))
	}
	return strings.Join(lines, "\n")
}

// fileName returns the file name of an image, as in the application's own stacks.
func fileName(im *profile.Image) string {
	if im == nil {
		return notation.Unknown
	}
	return notation.Process(im.Name())
}

// maxPhoneName is the maximum length of an image name on iOS, in bytes.
const maxPhoneName = 30

// image returns the name of an image in a frame.
func (c *textWriter) image(im *profile.Image) string {
	switch {
	case im == nil:
		return notation.Unknown
	case !c.rest.phone:
		return notation.ImageIdentifier(im)
	}
	name := fileName(im)
	if len(name) > maxPhoneName {
		name = cutName + strings.ToValidUTF8(name[len(name)-maxPhoneName+len(cutName):], "")
	}
	return name
}

// textAddress formats an address with 16 digits; 0 has a form of its own.
func textAddress(pc task.Addr) string {
	if pc == 0 {
		return addressOfNobody
	}
	return fmt.Sprintf("0x%016x", uint64(pc))
}

// appSymbol returns the location of a frame that the application reported.
func appSymbol(n *profile.Node) string {
	if n.Function == "" && n.Image != nil && n.Image.Placed() {
		return fmt.Sprintf("%s + %d", fileName(n.Image), uint64(n.PC-n.Image.Load))
	}
	return textSymbol(n)
}

// textSymbol returns the location of a frame: a symbol or the load address, and the
// offset.
func textSymbol(n *profile.Node) string {
	switch {
	case n.Function == "" && n.Image != nil && n.Image.Placed():
		return fmt.Sprintf("%v + %d", n.Image.Load, uint64(n.PC-n.Image.Load))
	case n.Function == "":
		return fmt.Sprintf(unknownOffset, uint64(n.PC))
	}
	s := notation.Plain(n.Function)
	if n.Kernel {
		s += notation.KernelMark
	}
	switch {
	case n.Inlined:
		s += notation.InlinedMark
	case n.By == unwind.ByReport && n.Offset == 0 && n.File != "": // iOS writes no offset before a source line
	case n.Function != profile.Trampoline && !n.Placeless():
		s += fmt.Sprintf(" + %d", n.Offset)
	}
	if file := textSource(n); file != "" {
		s += fmt.Sprintf(" (%s:%d)", file, n.Line)
	}
	return s
}

// textSource returns the source file of a frame: unchanged if a report had it, else
// without its directory.
func textSource(n *profile.Node) string {
	if n.By == unwind.ByReport {
		return notation.Plain(n.File)
	}
	return strings.TrimPrefix(notation.SourceFile(n.File), "/")
}
