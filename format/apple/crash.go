package apple

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
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
func Crash(w io.Writer, r *report.Report, _ words.Options) error {
	p := r.Profiles[0]
	if p.Sampled() {
		return errManyStacks
	}
	c := newCrashWriter(w, p)
	c.header()
	c.exception()
	c.stacks()
	c.lines(inState)
	c.images()
	c.lines(behindImages)
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
	rest    *crashRest        // of the report that was opened; nil: there is none
	threads []*profile.Thread // in the order of their numbers
	first   int               // the number of the first of them
	thrown  []*profile.Thread // the stacks of exceptions
	crashed *profile.Thread   // nil: not known
}

func newCrashWriter(w io.Writer, p *profile.Profile) *crashWriter {
	c := &crashWriter{textWriter: newTextWriter(w), profile: p, rest: crashRestOf(p), first: 1}
	if c.rest == nil {
		c.rest = &crashRest{decimals: 3}
	}
	for _, t := range p.Threads {
		switch {
		case isThrown(t):
			c.thrown = append(c.thrown, t)
			continue
		case t.Main:
			c.first = 0
			c.threads = slices.Insert(c.threads, 0, t)
		default:
			c.threads = append(c.threads, t)
		}
		if c.hasCrashed(t) {
			c.crashed = t
		}
	}
	return c
}

// hasCrashed reports whether it was that thread which ended the process.
func (c *crashWriter) hasCrashed(t *profile.Thread) bool {
	crash := c.profile.Target.Crash
	return crash != nil && crash.Thread == t.ID && (t.ID != 0 || slices.Contains(c.profile.Notes, zeroHasCrashed))
}

func (c *crashWriter) fact(key, value string) { c.textWriter.fact(crashColumn, key, value) }

// lines writes what the report that was opened had besides in a part of it.
func (c *crashWriter) lines(part crashPart) {
	kept := c.rest.lines[part]
	for len(kept) > 0 && kept[len(kept)-1] == "" {
		kept = kept[:len(kept)-1]
	}
	for _, line := range kept {
		c.line("%s", printable(line))
	}
	if len(kept) > 0 && part >= inThreads {
		c.line("")
	}
}

// header writes whose stacks these are.
func (c *crashWriter) header() {
	p, t := c.profile, &c.profile.Target
	c.lines(inTop)
	c.fact("Process", fmt.Sprintf("%s [%d]", process(t.Name), t.PID))
	c.fact("Path", plain(t.Path))
	c.fact("Identifier", cmp.Or(plain(c.rest.identifier), identifier(p)))
	c.fact("Version", cmp.Or(plain(c.rest.version), version(p.Main)))
	c.fact("Code Type", c.codeType())
	c.fact("Parent Process", processWithPID(t.ParentName, t.ParentPID))
	if t.User != nil {
		c.fact("User ID", strconv.FormatUint(uint64(t.User.ID), 10))
	}
	c.lines(inProcess)
	c.line("")
	c.fact("Date/Time", momentOf(p.Start, c.rest.decimals))
	c.fact("Launch Time", momentOf(t.Start, c.rest.decimals))
	c.fact("Hardware Model", plain(t.Machine.Model))
	c.fact("OS Version", plain(t.OSVersion))
	c.fact("Report Version", cmp.Or(plain(c.rest.reportVersion), strconv.Itoa(crashVersion)))
	if p.Tool != crashTool {
		c.fact("Analysis Tool", plain(p.Tool)) // ours alone
	}
	c.lines(inDates)
	c.line("")
}

// codeType is the architecture, and whether the program was made for the machine's.
func (c *crashWriter) codeType() string {
	cpu := cpuType(c.profile)
	switch {
	case cpu == "" || crashRestOf(c.profile) != nil:
		return strings.TrimRight(cpu+" "+plain(c.rest.native), " ")
	case c.profile.Target.Translated:
		return cpu + " (Translated)"
	default:
		return cpu + " (Native)"
	}
}

// exception writes what ended the process, where anything has, and what it said then.
func (c *crashWriter) exception() {
	if !c.rest.phone {
		c.trigger()
	}
	ends := c.told(crashEnd)
	if e := newIPSException(c.profile.Target.Crash); e != nil {
		c.fact("Exception Type", exceptionType(e))
		if e.Subtype != "" && (e.Codes != "" || c.rest.subtype) {
			c.fact("Exception Subtype", plain(e.Subtype))
			e.Subtype = ""
		}
		c.fact("Exception Codes", plain(e.Subtype+e.Codes))
	}
	for _, end := range ends {
		c.fact("Termination Reason", end)
	}
	c.lines(inException)
	if c.rest.phone {
		c.trigger()
	} else if len(ends) > 0 || c.profile.Target.Crash != nil {
		c.line("")
	}
	c.section(crashInfo, c.told(crashAppPrefix))
}

// trigger writes which thread is to blame.
func (c *crashWriter) trigger() {
	t := c.crashed
	if t == nil {
		return
	}
	title := ""
	if !c.rest.phone {
		title = threadTitle(t)
	}
	c.fact(cmp.Or(c.rest.trigger, "Crashed Thread"), strings.TrimRight(fmt.Sprintf("%d  %s", c.number(t), title), " "))
	c.line("")
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

// told are the notes with a prefix, without that, but for those of which the report that was
// opened has lines.
func (c *crashWriter) told(prefix string) (list []string) {
	for _, note := range c.profile.Notes {
		if rest, found := strings.CutPrefix(note, prefix); found && !slices.Contains(c.rest.notes, note) {
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
		return strings.HasPrefix(note, crashEnd) || strings.HasPrefix(note, crashAppPrefix) ||
			note == zeroHasCrashed && c.crashed != nil || slices.Contains(c.rest.notes, note)
	})
	list := slices.DeleteFunc(doubts(&rest), func(s string) bool { return strings.HasPrefix(s, noFrames) }) // which is to be seen
	for _, t := range c.threads {
		list = append(list, stackDoubts(c.number(t), t)...)
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

// number is that of a thread: the one that the report had which was opened.
func (c *crashWriter) number(t *profile.Thread) int {
	if crashRestOf(c.profile) != nil {
		return int(t.ID)
	}
	return c.first + slices.Index(c.threads, t)
}

// imageLists begins the lists of images; reporters of other makers have several.
const imageLists = "Binary Images"

// images lists the files that frames lie in.
func (c *crashWriter) images() {
	c.line(binaryImages)
	listed := 0
	for _, im := range c.profile.Images {
		if im.Placed() && im.Note != noEnd {
			c.line("%s", c.imageLine(im))
			listed++
		}
	}
	if listed == 0 {
		c.line(noBinaryImages)
	}
	c.line("")
}

// imageLine is the line of an image; a phone's has the architecture.
func (c *crashWriter) imageLine(im *profile.Image) string {
	if !c.rest.phone {
		line := imageLine(c.profile.Target.OS, im)
		if arch := archName(im); arch != "" && imageVersion(im) == unknownSymbol && crashRestOf(c.profile) != nil {
			line = strings.Replace(line, " ("+unknownSymbol+") <", " ("+plain(arch)+") <", 1) // which those of simulators have there
		}
		return line
	}
	name := process(im.Name()) + " " + cmp.Or(archName(im), unknownSymbol)
	switch v := imageVersion(im); {
	case im.Main && c.rest.plus:
		name = "+" + name
	case !im.Main && v != unknownSymbol:
		name += " (" + v + ")"
	}
	id := strings.ToLower(strings.ReplaceAll(imageID(task.Darwin, im.ID), "-", ""))
	return fmt.Sprintf("%#9x - %#9x %s  <%s> %s", uint64(im.Load), uint64(max(im.Load, im.End-1)), name, id, plain(im.Path))
}
