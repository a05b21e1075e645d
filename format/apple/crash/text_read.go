package crash

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
)

// IsText reports whether a file begins like a crash report in text form: that of
// macOS up to 11 and iOS up to 14, which Console still shows. A report by this
// program may be about a process that has not crashed.
func IsText(head []byte) bool {
	stacks := notation.HasLine(head, "Thread ") || notation.HasLine(head, noBacktrace)
	return notation.HasLine(head, "Process:") && (notation.HasLine(head, "Exception Type:") || notation.HasLine(head, "Report Version:") && stacks)
}

// textReader reads a crash report in text form, and makes the .ips document with the
// same content. The text has no thread ids, so thread numbers are used instead.
type textReader struct {
	ips      ipsReader
	rest     textRest
	part     textPart
	images   []*profile.Image
	unlisted map[ipsImage]int  // index in the .ips document of images that only frames name
	bases    map[string]uint64 // load addresses of images that frames state
	names    map[int]string    // thread names, which precede the frames, by thread number
	faulting int               // number of the thread that crashed; negative: not known
	frames   *[]ipsFrame       // stack that is being read; nil: none
	add      func(string)      // receives the lines of a text section; nil: outside of one
	listing  bool              // in the list of images
	bare     bool              // a frame without a symbol repeats the image name in its place
}

// ReadText reads a report up to the end of its list of images. For a truncated report
// it returns what the report has, with a note.
func ReadText(from *bufio.Reader) (*profile.Profile, error) {
	whole := &io.LimitedReader{R: from, N: maxIPS}
	r := newTextReader()
	err := notation.EachLine(bufio.NewReader(whole), func(line string) bool {
		r.read(line)
		return true
	})
	if err != nil {
		return nil, err
	}
	r.ips.cut, r.ips.full = len(r.images) == 0, r.ips.full || whole.N <= 0
	r.place()
	r.blame()
	r.version()
	p := r.ips.profile()
	if n := r.ips.report.Faulting; n != nil && r.ips.report.Threads[*n].ID == 0 { // 0 is not a valid thread id
		p.Notes = append(p.Notes, zeroHasCrashed)
	}
	p.Report = &r.rest
	return p, nil
}

func newTextReader() *textReader {
	return &textReader{ips: ipsReader{numbered: true}, names: map[int]string{}, unlisted: map[ipsImage]int{}, bases: map[string]uint64{}, faulting: -1}
}

// textLines are the patterns of lines that are more than a key and a value, and of
// what follows an address: a symbol with an offset or a source line, or a load
// address.
type textLines struct{ thread, state, frame, offset, source, base *regexp.Regexp }

// textForms compiles the patterns on first use, because most calls read no crash
// report.
var textForms = sync.OnceValue(func() textLines {
	return textLines{
		thread: regexp.MustCompile(`^Thread (\d+)(?: (name|Crashed|Attributed))?::?(.*)$`),
		state:  regexp.MustCompile(`^Thread \d+ .*(?:State|state)\b`),
		frame:  regexp.MustCompile(`^\d+\s+(?:([^\t]*)\t *|(.*?)\s+)(0x[0-9a-fA-F]+|0{18})(?:[ \t](.*))?$`),
		offset: regexp.MustCompile(`^(.*) \+ (\d+|0x[0-9a-fA-F]+)(?: \((.*):(\d+)\))?$`),
		source: regexp.MustCompile(`^(.*)()(?: \((.*):(\d+)\))$`),
		base:   regexp.MustCompile(`^(0x[0-9a-fA-F]+|0) \+ (\d+|0x[0-9a-fA-F]+)(?:\s*// (.*)|\s+\((.* \+ \d+)\))?$`),
	}
})

const queueMark = "Dispatch queue: "

// read reads a line.
func (r *textReader) read(line string) {
	switch {
	case line == "":
		r.frames, r.add, r.listing = nil, nil, false
		r.rest.blank(r.part)
	case r.add != nil:
		r.add(line)
	case strings.HasPrefix(line, imageLists):
		r.listing, r.part = true, behindImages
	case r.listing:
		r.image(line)
	case strings.HasPrefix(line, lastException+":"):
		r.frames, r.bare, r.part = &r.ips.report.LastException, false, inThreads
	case strings.HasPrefix(line, appBacktrace):
		r.backtrace(strings.TrimSuffix(line, ":"))
	case r.frames != nil && !textForms().thread.MatchString(line): // a blank line may be lost
		r.frame(line)
	default:
		r.headerOrThread(line)
	}
}

// asiKey is the key of the application's messages. In the text they have no image
// names.
const asiKey = "application"

func (r *textReader) addInfo(line string) {
	d := &r.ips.report
	if d.ASI == nil {
		d.ASI = map[string]any{}
	}
	texts, _ := d.ASI[asiKey].([]any)
	if r.ips.full = r.ips.full || len(texts) == notation.MaxLines; len(texts) < notation.MaxLines {
		d.ASI[asiKey] = append(texts, line)
	}
}

func (r *textReader) addNote(line string) {
	notes := &r.ips.report.ReportNotes
	if r.ips.full = r.ips.full || len(*notes) == notation.MaxLines; len(*notes) < notation.MaxLines {
		*notes = append(*notes, line)
	}
}

func (r *textReader) headerOrThread(line string) {
	if m := textForms().thread.FindStringSubmatch(line); m != nil && r.part < behindImages {
		r.part = inThreads
		r.thread(m[1], m[2], strings.TrimSpace(m[3]))
		return
	}
	if r.part == inThreads && textForms().state.MatchString(line) {
		r.part = inState
	}
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if key+":" == infoTitle {
		r.add = r.addInfo
		return
	}
	if key+":" == notesTitle {
		if r.add = r.addNote; value != "" {
			r.addNote(value)
		}
		return
	}
	switch {
	case r.part < inException && r.fact(key, value), r.part <= inException && r.exception(key, value):
	default:
		r.ips.full = !r.rest.keep(r.part, line) || r.ips.full
	}
}

// fact reads a header line about the process, and reports whether it is one.
func (r *textReader) fact(key, value string) bool {
	d := &r.ips.report
	switch key {
	case "Process":
		r.part = inProcess
		d.Name, d.PID = notation.ParseProcess(value)
	case "Path":
		d.Path = value
	case "Identifier":
		r.rest.identifier = value
	case "Version":
		r.rest.version = value
	case "Code Type":
		d.CPUType, r.rest.native, _ = strings.Cut(value, " ")
		d.Translated = strings.HasSuffix(value, "(Translated)")
	case "Parent Process":
		d.Parent, d.ParentPID = notation.ParseProcess(value)
	case "Date/Time":
		r.part = inDates
		d.Captured, r.rest.decimals = value, decimals(value)
	case "Launch Time":
		d.Launched = value
	case "OS Version":
		d.OS = &ipsOS{Train: value}
	case "Hardware Model":
		d.Model = value
	case "Report Version":
		r.rest.reportVersion = value
	case "User ID":
		id, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return false
		}
		user := uint32(id)
		d.UserID = &user
	case "Analysis Tool":
		d.Tool = value
	default:
		return false
	}
	return true
}

// exception reads a line about the reason why the process ended, and reports whether
// it is one.
func (r *textReader) exception(key, value string) bool {
	d := &r.ips.report
	e := d.Exception
	if e == nil && strings.HasPrefix(key, "Exception ") {
		e = &ipsException{}
		d.Exception = e
	}
	if strings.HasPrefix(key, "Exception ") || strings.HasPrefix(key, "Termination ") {
		r.part = inException
	}
	switch key {
	case "Exception Type":
		if e.Type, e.Signal, _ = strings.Cut(strings.TrimSuffix(value, ")"), " ("); strings.HasPrefix(value, "SIG") {
			e.Type, e.Signal = "", value
		}
	case "Exception Codes":
		if e.Codes = value; !strings.HasPrefix(value, "0x") {
			e.Subtype, e.Codes = value, ""
		}
	case "Exception Subtype":
		e.Subtype, r.rest.subtype = value, true
	case "Exception Message":
		r.tell(key, value, value)
	case "Termination Reason", "Termination Description":
		r.tell(key, value, endedBy+value)
	case "Triggered by Thread", "Crashed Thread":
		r.part, r.rest.trigger = inException, key
		number, _, _ := strings.Cut(value, " ")
		if n, err := strconv.Atoi(strings.TrimSuffix(number, ",")); err == nil && n >= 0 {
			r.faulting = n
		}
	default:
		return false
	}
	return true
}

// tell adds a note made from a line, and keeps the line.
func (r *textReader) tell(key, value, note string) {
	r.addNote(note)
	r.ips.full = !r.rest.tell(key+": "+value, note) || r.ips.full
}

// blame finds the thread that crashed: by its number, or else the one that is marked
// as crashed.
func (r *textReader) blame() {
	d := &r.ips.report
	for i := range d.Threads {
		if d.Threads[i].ID == uint64(r.faulting) && r.faulting >= 0 {
			d.Faulting = &i
		}
	}
	if d.Faulting != nil {
		return
	}
	for i := range d.Threads {
		if d.Threads[i].Triggered {
			d.Faulting = &i
			return
		}
	}
}

// version sets the program's identifier and version, once the report's system is
// known.
func (r *textReader) version() {
	d := &r.ips.report
	b := ipsBundle{ID: knownText(r.rest.identifier)}
	b.Version, b.Build = notation.ParseVersion(r.rest.version)
	b.Build = knownText(b.Build)
	if r.rest.buildFirst(d) && b.Build != "" {
		b.Version, b.Build = b.Build, b.Version
	}
	if b.ID == d.Name {
		b.ID = "" // the name is written if there is no identifier
	}
	if b != (ipsBundle{}) {
		d.Bundle = &b
	}
}

// knownText returns s, or "" if it is ???.
func knownText(s string) string {
	if s == notation.Unknown {
		return ""
	}
	return s
}

// thread begins a thread, or keeps the name of a thread that follows.
func (r *textReader) thread(number, what, text string) {
	n, err := strconv.Atoi(number)
	if err != nil || len(r.ips.report.Threads)+len(r.names) > notation.MaxImages {
		r.frames, r.ips.full = nil, r.ips.full || err == nil
		return
	}
	if what == "name" {
		r.rest.phone = true
		r.names[n] = text
		return
	}
	if text == "" {
		text = r.names[n]
	}
	t := ipsThread{ID: uint64(n), Triggered: what != ""}
	if i := strings.Index(text, queueMark); i >= 0 {
		text, t.Queue = strings.TrimSpace(text[:i]), text[i+len(queueMark):]
	}
	t.Name = text
	r.ips.report.Threads = append(r.ips.report.Threads, t)
	r.frames, r.bare = &r.ips.report.Threads[len(r.ips.report.Threads)-1].Frames, false
}

// backtrace begins the stack of an exception that the application reported.
func (r *textReader) backtrace(title string) {
	d := &r.ips.report
	if len(d.Backtraces) == notation.MaxLines {
		r.frames, r.ips.full = nil, true
		return
	}
	d.Backtraces = append(d.Backtraces, ipsThread{Name: title})
	r.frames, r.bare = &d.Backtraces[len(d.Backtraces)-1].Frames, true
}
