package crash

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// errManyStacks is returned for a sampled profile: a crash report has one stack for
// each thread.
var errManyStacks = errors.New("a crash report is of one snapshot: there are many")

// The version of the text, and the column of values in its header, as macOS wrote
// them up to version 11. Symbolicators match frames to images by the identifier in
// the list of images.
const (
	textVersion = 12
	textColumn  = 23
)

// Text writes a crash report as text: a .crash file of version 12, as macOS once
// wrote and still shows for an .ips file. It has one snapshot. The report of a
// process that has not crashed has no exception. The profile's warnings are at the
// end. Threads have numbers instead of ids: from 0, the main thread, or from 1 if
// there is no main thread.
func Text(w io.Writer, r *report.Report, _ words.Options) error {
	p := r.Profiles[0]
	if p.Sampled() {
		return errManyStacks
	}
	c := newTextWriter(w, p)
	c.header()
	c.exception()
	c.stacks()
	c.lines(inState)
	c.images()
	c.lines(behindImages)
	c.section(notesTitle, c.notes())
	return c.Flush()
}

// Parts of a crash report that consist of lines of text.
const (
	notesTitle      = "Error Formulating Crash Report:"
	infoTitle       = "Application Specific Information:"
	appPrefix       = asiKey + ": "                  // prefix of a note from the crashInfo message
	endedBy         = "ended by "                    // prefix of a note from a reason
	zeroHasCrashed  = "it was thread 0 that crashed" // this note is needed because 0 is not a valid thread id
	noBacktrace     = "Backtrace not available"
	unknownOffset   = "0 + %d"
	addressOfNobody = "000000000000000000"
)

// textWriter writes one crash report.
type textWriter struct {
	notation.Writer
	profile *profile.Profile
	rest    *textRest         // rest of the report that was opened; nil: none
	threads []*profile.Thread // by number
	first   int               // number of the first thread
	thrown  []*profile.Thread // the stacks of exceptions
	crashed *profile.Thread   // nil: not known
}

func newTextWriter(w io.Writer, p *profile.Profile) *textWriter {
	c := &textWriter{Writer: notation.NewWriter(w, textColumn), profile: p, rest: textRestOf(p), first: 1}
	if c.rest == nil {
		c.rest = &textRest{decimals: 3}
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

// hasCrashed reports whether t is the thread that crashed.
func (c *textWriter) hasCrashed(t *profile.Thread) bool {
	crash := c.profile.Target.Crash
	return crash != nil && crash.Thread == t.ID && (t.ID != 0 || slices.Contains(c.profile.Notes, zeroHasCrashed))
}

// lines writes the lines of one part of the opened report that the model cannot hold.
func (c *textWriter) lines(part textPart) {
	kept := c.rest.lines[part]
	for len(kept) > 0 && kept[len(kept)-1] == "" {
		kept = kept[:len(kept)-1]
	}
	for _, line := range kept {
		c.Line("%s", notation.Printable(line))
	}
	if len(kept) > 0 && part >= inThreads {
		c.Line("")
	}
}

// header writes the facts about the process and its system.
func (c *textWriter) header() {
	p, t := c.profile, &c.profile.Target
	c.lines(inTop)
	c.Fact("Process", fmt.Sprintf("%s [%d]", notation.Process(t.Name), t.PID))
	c.Fact("Path", notation.Plain(t.Path))
	c.Fact("Identifier", cmp.Or(notation.Plain(c.rest.identifier), notation.Identifier(p)))
	c.Fact("Version", cmp.Or(notation.Plain(c.rest.version), notation.Version(p.Main)))
	c.Fact("Code Type", c.codeType())
	c.Fact("Parent Process", notation.ProcessWithPID(t.ParentName, t.ParentPID))
	if t.User != nil {
		c.Fact("User ID", strconv.FormatUint(uint64(t.User.ID), 10))
	}
	c.lines(inProcess)
	c.Line("")
	c.Fact("Date/Time", notation.Moment(p.Start, c.rest.decimals))
	c.Fact("Launch Time", notation.Moment(t.Start, c.rest.decimals))
	c.Fact("Hardware Model", notation.Plain(t.Machine.Model))
	c.Fact("OS Version", notation.Plain(t.OSVersion))
	c.Fact("Report Version", cmp.Or(notation.Plain(c.rest.reportVersion), strconv.Itoa(textVersion)))
	if p.Tool != reportCrash {
		c.Fact("Analysis Tool", notation.Plain(p.Tool)) // written by this program only
	}
	c.lines(inDates)
	c.Line("")
}

// codeType returns the architecture, and whether the process ran natively or
// translated.
func (c *textWriter) codeType() string {
	cpu := cpuType(c.profile)
	switch {
	case cpu == "" || textRestOf(c.profile) != nil:
		return strings.TrimRight(cpu+" "+notation.Plain(c.rest.native), " ")
	case c.profile.Target.Translated:
		return cpu + " (Translated)"
	default:
		return cpu + " (Native)"
	}
}

// exception writes the exception, if there is one, and the application's messages.
func (c *textWriter) exception() {
	if !c.rest.phone {
		c.trigger()
	}
	ends := c.notesWith(endedBy)
	if e := newIPSException(c.profile.Target.Crash); e != nil {
		c.Fact("Exception Type", exceptionType(e))
		if e.Subtype != "" && (e.Codes != "" || c.rest.subtype) {
			c.Fact("Exception Subtype", notation.Plain(e.Subtype))
			e.Subtype = ""
		}
		c.Fact("Exception Codes", notation.Plain(e.Subtype+e.Codes))
	}
	for _, end := range ends {
		c.Fact("Termination Reason", end)
	}
	c.lines(inException)
	if c.rest.phone {
		c.trigger()
	} else if len(ends) > 0 || c.profile.Target.Crash != nil {
		c.Line("")
	}
	c.section(infoTitle, c.notesWith(appPrefix))
}

// trigger writes which thread crashed.
func (c *textWriter) trigger() {
	t := c.crashed
	if t == nil {
		return
	}
	title := ""
	if !c.rest.phone {
		title = threadTitle(t)
	}
	c.Fact(cmp.Or(c.rest.trigger, "Crashed Thread"), strings.TrimRight(fmt.Sprintf("%d  %s", c.number(t), title), " "))
	c.Line("")
}

func exceptionType(e *ipsException) string {
	switch {
	case e.Type == "":
		return notation.Plain(e.Signal)
	case e.Signal == "":
		return notation.Plain(e.Type)
	}
	return notation.Plain(e.Type) + " (" + notation.Plain(e.Signal) + ")"
}

// notesWith returns the notes that have a prefix, without it. It omits notes that
// were made from lines of the opened report, because these are written as they are.
func (c *textWriter) notesWith(prefix string) (list []string) {
	for _, note := range c.profile.Notes {
		if rest, found := strings.CutPrefix(note, prefix); found && !slices.Contains(c.rest.notes, note) {
			list = append(list, notation.Plain(rest))
		}
	}
	return list
}

// section writes lines below a title, or nothing if there are no lines.
func (c *textWriter) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	c.Line("%s", title)
	for _, text := range lines {
		c.Line("%s", text)
	}
	c.Line("")
}

// notes returns the profile's warnings, and warnings about single stacks.
func (c *textWriter) notes() []string {
	rest := *c.profile
	rest.Notes = slices.DeleteFunc(slices.Clone(rest.Notes), func(note string) bool {
		return strings.HasPrefix(note, endedBy) || strings.HasPrefix(note, appPrefix) ||
			note == zeroHasCrashed && c.crashed != nil || slices.Contains(c.rest.notes, note)
	})
	list := slices.DeleteFunc(notation.Doubts(&rest), func(s string) bool { return strings.HasPrefix(s, notation.NoFrames) }) // empty stacks are visible anyway
	for _, t := range c.threads {
		list = append(list, stackDoubts(c.number(t), t)...)
	}
	return list
}

// stackDoubts returns warnings about a thread's stack: missing callers, and frames
// that may be wrong.
func stackDoubts(number int, t *profile.Thread) (list []string) {
	stack := t.Heaviest()
	if len(stack) > 0 && stack[0].Cut != nil {
		list = append(list, notation.Plain(fmt.Sprintf("thread %d: callers are missing: %v", number, stack[0].Cut)))
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

// number returns the number of a thread. In an opened report it keeps its number.
func (c *textWriter) number(t *profile.Thread) int {
	if textRestOf(c.profile) != nil {
		return int(t.ID)
	}
	return c.first + slices.Index(c.threads, t)
}

// imageLists begins the titles of the lists of images. Third-party reporters write
// several lists.
const imageLists = "Binary Images"

// images writes the list of images.
func (c *textWriter) images() {
	c.Line(notation.BinaryImages)
	listed := 0
	for _, im := range c.profile.Images {
		if im.Placed() && im.Note != notation.NoEnd {
			c.Line("%s", c.imageLine(im))
			listed++
		}
	}
	if listed == 0 {
		c.Line(notation.NoBinaryImages)
	}
	c.Line("")
}

// imageLine returns the line of an image. On iOS it includes the architecture.
func (c *textWriter) imageLine(im *profile.Image) string {
	if !c.rest.phone {
		line := notation.ImageLine(c.profile.Target.OS, im)
		if arch := notation.ArchName(im.Variant, im.Arch); arch != "" && notation.ImageVersion(im) == notation.Unknown && textRestOf(c.profile) != nil {
			line = strings.Replace(line, " ("+notation.Unknown+") <", " ("+notation.Plain(arch)+") <", 1) // which those of simulators have there
		}
		return line
	}
	name := notation.Process(im.Name()) + " " + cmp.Or(notation.ArchName(im.Variant, im.Arch), notation.Unknown)
	switch v := notation.ImageVersion(im); {
	case im.Main && c.rest.plus:
		name = "+" + name
	case !im.Main && v != notation.Unknown:
		name += " (" + v + ")"
	}
	id := strings.ToLower(strings.ReplaceAll(notation.ImageID(task.Darwin, im.ID), "-", ""))
	return fmt.Sprintf("%#9x - %#9x %s  <%s> %s", uint64(im.Load), uint64(max(im.Load, im.End-1)), name, id, notation.Plain(im.Path))
}
