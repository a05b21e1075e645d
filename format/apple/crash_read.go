package apple

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// isCrash tells whether a file has the lines that a crash report for people begins
// with: that of macOS until 11 and iOS until 14, and what Console shows since. One of
// ours may be of a process that has not crashed.
func isCrash(head []byte) bool {
	stacks := hasLine(head, "Thread ") || hasLine(head, noBacktrace)
	return hasLine(head, "Process:") && (hasLine(head, "Exception Type:") || hasLine(head, "Report Version:") && stacks)
}

func hasLine(head []byte, prefix string) bool {
	return bytes.HasPrefix(head, []byte(prefix)) || bytes.Contains(head, []byte("\n"+prefix))
}

// crashReader reads a crash report for people as the .ips file that has the same. A
// thread's id is not in it: its number stands for that.
type crashReader struct {
	ips     ipsReader
	images  []*profile.Image
	names   map[int]string // of threads, told before their frames
	frames  *[]ipsFrame    // of the section that is being read; nil: it has none
	add     func(string)   // takes the lines of a section of text; nil: it is none
	listing bool           // in the list of images
}

// readCrash reads a report to the end of its list of images. One that was cut short
// gives what there is, with a note.
func readCrash(from *bufio.Reader) (*profile.Profile, error) {
	whole := &io.LimitedReader{R: from, N: maxIPS}
	r := &crashReader{ips: ipsReader{numbered: true}, names: map[int]string{}}
	err := (&lines{from: bufio.NewReader(whole)}).each(func(line string) bool {
		r.read(line)
		return true
	})
	if err != nil {
		return nil, err
	}
	r.ips.cut, r.ips.full = len(r.images) == 0, r.ips.full || whole.N <= 0
	r.place()
	p := r.ips.profile()
	if n := r.ips.report.Faulting; n != nil && *n == 0 { // which as an id is none
		p.Notes = append(p.Notes, zeroHasCrashed)
	}
	return p, nil
}

// crashLines are the lines of a crash report that are more than a key and a value, and
// what stands behind an address: a symbol with an offset, or with a source alone.
type crashLines struct{ thread, frame, offset, source *regexp.Regexp }

// crashForms are made when they are asked for, for most calls read no crash report.
var crashForms = sync.OnceValue(func() crashLines {
	return crashLines{
		thread: regexp.MustCompile(`^Thread (\d+)(?: (name|Crashed))?::?(.*)$`),
		frame:  regexp.MustCompile(`^\d+ +(?:[^\t]*\t *|.*?\s+)(0x[0-9a-fA-F]+|0{18})(?: (.*))?$`),
		offset: regexp.MustCompile(`^(.*) \+ (\d+)(?: \((.*):(\d+)\))?$`),
		source: regexp.MustCompile(`^(.*)()(?: \((.*):(\d+)\))$`),
	}
})

const crashQueue = "Dispatch queue: "

// read reads a line.
func (r *crashReader) read(line string) {
	switch {
	case line == "":
		r.frames, r.add, r.listing = nil, nil, false
	case r.add != nil:
		r.add(line)
	case strings.HasPrefix(line, binaryImages):
		r.listing = true
	case r.listing:
		r.image(line)
	case strings.HasPrefix(line, lastException+":"):
		r.frames = &r.ips.report.LastException
	case r.frames != nil && !crashForms().thread.MatchString(line): // a blank line may be lost
		r.frame(line)
	default:
		r.headerOrThread(line)
	}
}

// asiKey is of whom the texts of the application are.
const asiKey = "application"

// maxTold bounds the lines of a section of text that are kept.
const maxTold = 1 << 12

func (r *crashReader) addInfo(line string) {
	d := &r.ips.report
	if d.ASI == nil {
		d.ASI = map[string]any{}
	}
	texts, _ := d.ASI[asiKey].([]any)
	if r.ips.full = r.ips.full || len(texts) == maxTold; len(texts) < maxTold {
		d.ASI[asiKey] = append(texts, line)
	}
}

func (r *crashReader) addNote(line string) {
	notes := &r.ips.report.ReportNotes
	if r.ips.full = r.ips.full || len(*notes) == maxTold; len(*notes) < maxTold {
		*notes = append(*notes, line)
	}
}

func (r *crashReader) headerOrThread(line string) {
	if m := crashForms().thread.FindStringSubmatch(line); m != nil {
		r.thread(m[1], m[2], strings.TrimSpace(m[3]))
		return
	}
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	d := &r.ips.report
	switch key {
	case strings.TrimSuffix(crashInfo, ":"):
		r.add = r.addInfo
	case strings.TrimSuffix(crashNotes, ":"):
		if r.add = r.addNote; value != "" {
			r.addNote(value)
		}
	case "Process":
		d.Name, d.PID = parseProcess(value)
	case "Path":
		d.Path = value
	case "Code Type":
		d.CPUType, _, _ = strings.Cut(value, " ")
		d.Translated = strings.HasSuffix(value, "(Translated)")
	case "Parent Process":
		d.Parent, d.ParentPID = parseProcess(value)
	case "Date/Time":
		d.Captured = value
	case "Launch Time":
		d.Launched = value
	case "OS Version":
		d.OS = &ipsOS{Train: value}
	case "Hardware Model":
		d.Model = value
	case "User ID":
		if id, err := strconv.ParseUint(value, 10, 32); err == nil {
			user := uint32(id)
			d.UserID = &user
		}
	case "Analysis Tool":
		d.Tool = value
	default:
		r.exception(key, value)
	}
}

// exception reads what ended the process.
func (r *crashReader) exception(key, value string) {
	d := &r.ips.report
	e := d.Exception
	if e == nil && strings.HasPrefix(key, "Exception ") {
		e = &ipsException{}
		d.Exception = e
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
		e.Subtype = value
	case "Termination Reason", "Termination Description":
		d.ReportNotes = append(d.ReportNotes, "ended by "+value)
	case "Triggered by Thread", "Crashed Thread":
		number, _, _ := strings.Cut(value, " ")
		if n, err := strconv.Atoi(strings.TrimSuffix(number, ",")); err == nil {
			d.Faulting = &n
		}
	}
}

// thread begins a thread, or tells the name of one that comes.
func (r *crashReader) thread(number, what, text string) {
	n, err := strconv.Atoi(number)
	if err != nil || len(r.ips.report.Threads)+len(r.names) > maxImages {
		r.frames, r.ips.full = nil, r.ips.full || err == nil
		return
	}
	if what == "name" {
		r.names[n] = text
		return
	}
	if text == "" {
		text = r.names[n]
	}
	t := ipsThread{ID: uint64(n), Triggered: what == "Crashed"}
	if i := strings.Index(text, crashQueue); i >= 0 {
		text, t.Queue = strings.TrimSpace(text[:i]), text[i+len(crashQueue):]
	}
	t.Name = text
	r.ips.report.Threads = append(r.ips.report.Threads, t)
	r.frames = &r.ips.report.Threads[len(r.ips.report.Threads)-1].Frames
}

// frame reads a frame: its offset is its address until the images are known.
func (r *crashReader) frame(line string) {
	m := crashForms().frame.FindStringSubmatch(line)
	if m == nil {
		return
	}
	if r.ips.frames++; r.ips.frames > maxBranches {
		r.ips.full = true
		return
	}
	pc, _ := strconv.ParseUint(strings.TrimPrefix(m[1], "0x"), 16, 64) // it is hexadecimal
	f := ipsFrame{Offset: pc}
	f.symbol(m[2])
	*r.frames = append(*r.frames, f)
}

// symbol reads what is at the place of a frame, where anything is known.
func (f *ipsFrame) symbol(text string) {
	forms := crashForms()
	at := forms.offset.FindStringSubmatch(text)
	if at == nil {
		at = forms.source.FindStringSubmatch(text)
	}
	if at == nil {
		at = []string{text, text, "", "", ""}
	}
	if isNumber(at[1]) || at[1] == unknownSymbol {
		return
	}
	f.Symbol, f.Inline = strings.CutSuffix(at[1], inlinedMark)
	f.File = at[3]
	if offset, err := strconv.ParseUint(at[2], 10, 64); err == nil {
		f.Location = &offset
	}
	f.Line, _ = strconv.Atoi(at[4]) // 0: not known
}

// isNumber tells of an address in the place of a symbol.
func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 0, 64)
	return err == nil
}

// image reads a line of the list, which has the version of the image behind its name,
// or on iOS its architecture.
func (r *crashReader) image(line string) {
	im, ok := parseImage(line)
	if !ok {
		return
	}
	if len(r.images) == maxImages {
		r.ips.full = true
		return
	}
	arch := ""
	for _, text := range []*string{&im.Bundle.ID, &im.Bundle.Version} {
		words := strings.Fields(*text)
		if n := len(words); n > 0 && archs[words[n-1]] != task.UnknownArch {
			arch, *text = words[n-1], strings.Join(words[:n-1], " ")
		}
	}
	if im.Bundle.ID == im.Name() {
		im.Bundle.ID = ""
	}
	if im.Bundle.Version == "*" {
		im.Bundle.Version = ""
	}
	r.images = append(r.images, im)
	r.ips.report.Images = append(r.ips.report.Images, ipsImage{
		Arch: arch, Base: uint64(im.Load), Size: uint64(im.End - im.Load), UUID: imageID(task.Darwin, im.ID), Path: im.Path,
		ID: im.Bundle.ID, Version: im.Bundle.Version, Build: im.Bundle.Build,
	})
}

// place finds for each frame the image that it lies in.
func (r *crashReader) place() {
	index := map[*profile.Image]int{}
	for i, im := range r.images {
		index[im] = i
	}
	list := sortedByAddress(r.images)
	sections := []*[]ipsFrame{&r.ips.report.LastException}
	for i := range r.ips.report.Threads {
		sections = append(sections, &r.ips.report.Threads[i].Frames)
	}
	for _, frames := range sections {
		for i := range *frames {
			f := &(*frames)[i]
			f.Image = -1
			if im := imageFor(list, task.Addr(f.Offset)); im != nil {
				f.Image, f.Offset = index[im], f.Offset-uint64(im.Load)
			}
		}
	}
}
