package apple

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// errManyStacks says that a crash report has one stack of a thread.
var errManyStacks = errors.New("a crash report is of one snapshot: there are many")

// The version of the text and where the values of its header begin: as macOS wrote it
// until version 11. Symbolicators know what frames lie in by the identifier that the list
// of images has.
const (
	crashVersion = 12
	crashColumn  = 23
)

// Crash writes the text that macOS kept of a crash, and shows of an .ips file since: a
// .crash file of version 12. It is of one snapshot. A process that has not crashed has no
// exception there, and what there is to beware of stands at the end. The text has no ids
// of threads: they are numbered from 0, which is the main thread, or from 1 where that is
// not among them.
func Crash(w io.Writer, p *profile.Profile) error {
	if p.Sampled() {
		return errManyStacks
	}
	c := newCrashWriter(w, p)
	c.header()
	c.exception()
	c.stacks()
	c.images()
	c.section(crashNotes, c.notes())
	return c.Flush()
}

// The sections of a crash report that are lines of text.
const (
	crashNotes      = "Error Formulating Crash Report:"
	crashInfo       = "Application Specific Information:"
	crashAppPrefix  = asiKey + ": "                  // before a note that stood in crashInfo
	crashEnd        = "ended by "                    // before one that was a reason
	zeroHasCrashed  = "it was thread 0 that crashed" // which as an id is none
	noBinaryImages  = "Binary images description not available"
	noBacktrace     = "Backtrace not available"
	unknownOffset   = "0 + %d"
	addressOfNobody = "000000000000000000"
)

// crashWriter writes one crash report.
type crashWriter struct {
	textWriter
	profile *profile.Profile
	threads []*profile.Thread // in the order of their numbers
	first   int               // the number of the first of them
	thrown  *profile.Thread   // the stack of an exception that nobody caught; nil: there is none
	crashed *profile.Thread   // nil: not known
}

func newCrashWriter(w io.Writer, p *profile.Profile) *crashWriter {
	c := &crashWriter{textWriter: newTextWriter(w), profile: p, first: 1}
	for _, t := range p.Threads {
		switch {
		case t.Name == lastException && t.ID == 0:
			c.thrown = t
		case t.Main:
			c.first = 0
			c.threads = slices.Insert(c.threads, 0, t)
		default:
			c.threads = append(c.threads, t)
		}
		if t != c.thrown && c.hasCrashed(t) {
			c.crashed = t
		}
	}
	return c
}

// hasCrashed tells whether it was that thread which ended the process.
func (c *crashWriter) hasCrashed(t *profile.Thread) bool {
	crash := c.profile.Target.Crash
	return crash != nil && crash.Thread == t.ID && (t.ID != 0 || slices.Contains(c.profile.Notes, zeroHasCrashed))
}

func (c *crashWriter) fact(key, value string) { c.textWriter.fact(crashColumn, key, value) }

// header writes whose stacks these are.
func (c *crashWriter) header() {
	p, t := c.profile, &c.profile.Target
	c.fact("Process", fmt.Sprintf("%s [%d]", process(t.Name), t.PID))
	c.fact("Path", plain(t.Path))
	c.fact("Identifier", identifier(p))
	c.fact("Version", version(p.Main))
	c.fact("Code Type", crashCodeType(p))
	c.fact("Parent Process", processWithPID(t.ParentName, t.ParentPID))
	if t.User != nil {
		c.fact("User ID", strconv.FormatUint(uint64(t.User.ID), 10))
	}
	c.line("")
	c.fact("Date/Time", moment(p.Start))
	c.fact("Launch Time", moment(t.Start))
	c.fact("Hardware Model", plain(t.Machine.Model))
	c.fact("OS Version", plain(t.OSVersion))
	c.fact("Report Version", strconv.Itoa(crashVersion))
	c.fact("Analysis Tool", plain(p.Tool)) // ours alone
	c.line("")
}

func crashCodeType(p *profile.Profile) string {
	switch cpu := cpuType(p); {
	case cpu == "":
		return ""
	case p.Target.Translated:
		return cpu + " (Translated)"
	default:
		return cpu + " (Native)"
	}
}

// exception writes what ended the process, where anything has, and what it said then.
func (c *crashWriter) exception() {
	if t := c.crashed; t != nil {
		c.fact("Crashed Thread", strings.TrimRight(fmt.Sprintf("%d  %s", c.number(t), threadTitle(t)), " "))
		c.line("")
	}
	ends := c.told(crashEnd)
	if e := newIPSException(c.profile.Target.Crash); e != nil {
		c.fact("Exception Type", exceptionType(e))
		if e.Subtype != "" && e.Codes != "" {
			c.fact("Exception Subtype", plain(e.Subtype))
			e.Subtype = ""
		}
		c.fact("Exception Codes", plain(e.Subtype+e.Codes))
	}
	for _, end := range ends {
		c.fact("Termination Reason", end)
	}
	if len(ends) > 0 || c.profile.Target.Crash != nil {
		c.line("")
	}
	c.section(crashInfo, c.told(crashAppPrefix))
}

func exceptionType(e *ipsException) string {
	switch {
	case e.Type == "":
		return plain(e.Signal)
	case e.Signal == "":
		return plain(e.Type)
	}
	return plain(e.Type) + " (" + plain(e.Signal) + ")"
}

// told are the notes with a prefix, without that.
func (c *crashWriter) told(prefix string) (list []string) {
	for _, note := range c.profile.Notes {
		if rest, found := strings.CutPrefix(note, prefix); found {
			list = append(list, plain(rest))
		}
	}
	return list
}

// section writes lines below a title, none where there are none.
func (c *crashWriter) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	c.line("%s", title)
	for _, text := range lines {
		c.line("%s", text)
	}
	c.line("")
}

// notes are what a reader should beware of.
func (c *crashWriter) notes() []string {
	rest := *c.profile
	rest.Notes = slices.DeleteFunc(slices.Clone(rest.Notes), func(note string) bool {
		return strings.HasPrefix(note, crashEnd) || strings.HasPrefix(note, crashAppPrefix) || note == zeroHasCrashed && c.crashed != nil
	})
	list := slices.DeleteFunc(doubts(&rest), func(s string) bool { return strings.HasPrefix(s, noFrames) }) // which is to be seen
	for i, t := range c.threads {
		list = append(list, stackDoubts(c.first+i, t)...)
	}
	return list
}

// stackDoubts says what is missing of the stack of a thread of that number, and which
// frames may be wrong.
func stackDoubts(number int, t *profile.Thread) (list []string) {
	stack := t.Heaviest()
	if len(stack) > 0 && stack[0].Cut != nil {
		list = append(list, plain(fmt.Sprintf("thread %d: callers are missing: %v", number, stack[0].Cut)))
	}
	var guessed []string
	for i, n := range stack {
		if n.By.Guess() {
			guessed = append([]string{strconv.Itoa(len(stack) - 1 - i)}, guessed...)
		}
	}
	if len(guessed) > 0 {
		list = append(list, fmt.Sprintf("thread %d: frames that may be wrong: %s", number, strings.Join(guessed, ", ")))
	}
	return list
}

// number is that of a thread.
func (c *crashWriter) number(t *profile.Thread) int { return c.first + slices.Index(c.threads, t) }

// stacks writes the stack of each thread, its innermost frame first.
func (c *crashWriter) stacks() {
	if c.thrown != nil {
		c.line("%s:", lastException)
		c.frames(c.thrown)
	}
	for i, t := range c.threads {
		what, title := "", threadTitle(t)
		if t == c.crashed {
			what = " Crashed"
		}
		if title != "" {
			title = ": " + title
		}
		c.line("Thread %d%s:%s", c.first+i, what, title)
		c.frames(t)
	}
	if len(c.threads) == 0 {
		c.line(noBacktrace)
		c.line("")
	}
}

// threadTitle is what a thread is called, and for which queue it works.
func threadTitle(t *profile.Thread) string {
	title := plain(t.Name)
	if t.Queue == "" {
		return title
	}
	if title != "" {
		title += "  "
	}
	return title + crashQueue + plain(t.Queue)
}

func (c *crashWriter) frames(t *profile.Thread) {
	stack := t.Heaviest() // the only one
	for i := range stack {
		n := stack[len(stack)-1-i]
		c.line("%-3d %-30s\t%s %s", i, crashImage(n.Image), crashAddress(n.PC), crashSymbol(n))
	}
	c.line("")
}

func crashImage(im *profile.Image) string {
	if im == nil {
		return unknownSymbol
	}
	return imageIdentifier(im)
}

// crashAddress is an address of 16 digits, but for that of a call of nothing.
func crashAddress(pc task.Addr) string {
	if pc == 0 {
		return addressOfNobody
	}
	return fmt.Sprintf("0x%016x", uint64(pc))
}

// crashSymbol is what is at the place of a frame.
func crashSymbol(n *profile.Node) string {
	switch {
	case n.Function == "" && n.Image != nil && n.Image.Placed():
		return fmt.Sprintf("%v + %d", n.Image.Load, uint64(n.PC-n.Image.Load))
	case n.Function == "":
		return fmt.Sprintf(unknownOffset, uint64(n.PC))
	}
	s := plain(n.Function)
	if n.Kernel {
		s += kernelMark
	}
	switch {
	case n.Inlined:
		s += inlinedMark
	case n.Function != profile.Trampoline && !n.Placeless():
		s += fmt.Sprintf(" + %d", n.Offset)
	}
	if file := sourceFile(n.File); file != "" {
		s += fmt.Sprintf(" (%s:%d)", file, n.Line)
	}
	return s
}

// images lists the files that frames lie in.
func (c *crashWriter) images() {
	c.line(binaryImages)
	listed := 0
	for _, im := range c.profile.Images {
		if im.Placed() {
			c.line("%s", imageLine(c.profile.Target.OS, im))
			listed++
		}
	}
	if listed == 0 {
		c.line(noBinaryImages)
	}
	c.line("")
}
