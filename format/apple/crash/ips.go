package crash

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/internal/jsonstream"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// ipsBugType is the bug_type of .ips files with stacks.
const ipsBugType = "309"

// ipsHeader is the first line of an .ips file.
type ipsHeader struct {
	AppName   string `json:"app_name"`
	Timestamp string `json:"timestamp,omitempty"`
	Version   string `json:"app_version"`
	Build     string `json:"build_version,omitempty"`
	BundleID  string `json:"bundleID,omitempty"`
	BugType   string `json:"bug_type"`
	OSVersion string `json:"os_version,omitempty"`
	Name      string `json:"name"`
}

// ipsPayload is the document after the header: the members that the model can hold.
type ipsPayload struct {
	UserID        *uint32        `json:"userID,omitempty"`
	Model         string         `json:"modelCode,omitempty"`
	OS            *ipsOS         `json:"osVersion,omitempty"`
	Captured      string         `json:"captureTime,omitempty"`
	PID           int            `json:"pid"`
	CPUType       string         `json:"cpuType,omitempty"`
	Translated    bool           `json:"translated,omitempty"`
	BugType       string         `json:"bug_type"`
	Launched      string         `json:"procLaunch,omitempty"`
	Name          string         `json:"procName"`
	Path          string         `json:"procPath,omitempty"`
	Bundle        *ipsBundle     `json:"bundleInfo,omitempty"`
	Parent        string         `json:"parentProc,omitempty"`
	ParentPID     int            `json:"parentPid,omitempty"`
	Exception     *ipsException  `json:"exception,omitempty"`
	Termination   *ipsEnd        `json:"termination,omitempty"`
	ASI           map[string]any `json:"asi,omitempty"`
	ReportNotes   []string       `json:"reportNotes,omitempty"`
	Tool          string         `json:"analysisTool,omitempty"` // written by this program only
	Faulting      *int           `json:"faultingThread,omitempty"`
	LastException []ipsFrame     `json:"lastExceptionBacktrace,omitempty"`
	Threads       []ipsThread    `json:"threads"`
	Images        []ipsImage     `json:"usedImages"`
	Backtraces    []ipsThread    `json:"-"` // stacks that the application reported
	Cache         *ipsCache      `json:"sharedCache,omitempty"`
	ASIBacktraces []string       `json:"asiBacktraces,omitempty"`
}

type ipsOS struct {
	Train string `json:"train"`
	Build string `json:"build,omitempty"`
}

type ipsBundle struct {
	Version string `json:"CFBundleShortVersionString,omitempty"`
	Build   string `json:"CFBundleVersion,omitempty"`
	ID      string `json:"CFBundleIdentifier,omitempty"`
}

type ipsException struct {
	Codes   string `json:"codes,omitempty"`
	Type    string `json:"type,omitempty"`
	Subtype string `json:"subtype,omitempty"`
	Message string `json:"message,omitempty"`
	Signal  string `json:"signal,omitempty"`
}

// ipsEnd says why the process ended.
type ipsEnd struct {
	Indicator string   `json:"indicator,omitempty"`
	Reasons   []string `json:"reasons,omitempty"`
}

type ipsThread struct {
	Triggered bool       `json:"triggered,omitempty"`
	ID        uint64     `json:"id"`
	Name      string     `json:"name,omitempty"`
	Queue     string     `json:"queue,omitempty"`
	Frames    []ipsFrame `json:"frames"`

	rest members
}

type ipsFrame struct {
	Offset   uint64  `json:"imageOffset"`
	File     string  `json:"sourceFile,omitempty"`
	Line     int     `json:"sourceLine,omitempty"`
	Symbol   string  `json:"symbol,omitempty"`
	Location *uint64 `json:"symbolLocation,omitempty"`
	Image    int     `json:"imageIndex"`
	Inline   bool    `json:"inline,omitempty"`

	image string // of a report in text form: the image's name in the frame, "" if there is none
	base  uint64 // and the image's load address in the frame, 0 if there is none
}

// ipsImage is an image. If base is 0, it is not a real image, and offsets in it are
// addresses.
type ipsImage struct {
	Source  string `json:"source,omitempty"` // P: a file; A: none
	Arch    string `json:"arch,omitempty"`
	Base    uint64 `json:"base"`
	Version string `json:"CFBundleShortVersionString,omitempty"`
	ID      string `json:"CFBundleIdentifier,omitempty"`
	Size    uint64 `json:"size"`
	UUID    string `json:"uuid"`
	Path    string `json:"path,omitempty"`
	Name    string `json:"name,omitempty"`
	Build   string `json:"CFBundleVersion,omitempty"`
}

type ipsCache struct {
	Base uint64 `json:"base"`
	Size uint64 `json:"size,omitempty"`
	UUID string `json:"uuid"`
}

// errSampled is returned for a sampled profile: an .ips file has one stack for each
// thread.
var errSampled = errors.New("an ips report is of one snapshot: there are many")

// IPS writes the first profile as an .ips file of bug_type 309, macOS's crash report: a
// line of JSON about the report, then a JSON document. A sampled profile is an error.
// Without a crash there is no exception member. The profile's notes are in reportNotes.
func IPS(w io.Writer, r *report.Report, _ words.Options) error {
	p := r.Profiles[0]
	if p.Sampled() {
		return errSampled
	}
	header, err := ipsRestOf(p).headerOf(p)
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	payload, err := indented(ipsRestOf(p).body.of(newIPSPayload(p)))
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	for _, part := range [][]byte{header, payload} {
		if _, err := w.Write(append(jsonstream.EscapeUnprintable(part), '\n')); err != nil {
			return err
		}
	}
	return nil
}

func newIPSHeader(p *profile.Profile) *ipsHeader {
	h := &ipsHeader{
		AppName: p.Target.Name, Name: p.Target.Name, Timestamp: notation.Moment(p.Start, notation.Milliseconds), BugType: ipsBugType, OSVersion: p.Target.OSVersion,
	}
	if p.Main != nil {
		h.Version, h.Build, h.BundleID = p.Main.Bundle.Version, p.Main.Bundle.Build, p.Main.Bundle.ID
	}
	return h
}

func newIPSPayload(p *profile.Profile) *ipsPayload {
	t := &p.Target
	d := &ipsPayload{
		Model: t.Machine.Model, Captured: ipsMoment(p.Start), PID: t.PID, CPUType: cpuType(p), Translated: t.Translated,
		BugType: ipsBugType, Launched: ipsMoment(t.Start), Name: t.Name, Path: t.Path, Parent: t.ParentName, ParentPID: t.ParentPID,
		Exception: newIPSException(t.Crash), Threads: []ipsThread{}, Images: []ipsImage{},
	}
	rest := ipsRestOf(p)
	for _, note := range p.Notes {
		if !slices.Contains(rest.notes, note) {
			d.ReportNotes = append(d.ReportNotes, note)
		}
	}
	if p.Tool != reportCrash {
		d.Tool = p.Tool
	}
	if t.User != nil {
		d.UserID = &t.User.ID
	}
	if t.OSVersion != "" {
		train, build, _ := notation.CutLast(t.OSVersion, " (")
		d.OS = &ipsOS{train, strings.TrimSuffix(build, ")")}
	}
	if p.Main != nil {
		if b := (ipsBundle{p.Main.Bundle.Version, p.Main.Bundle.Build, p.Main.Bundle.ID}); b != (ipsBundle{}) {
			d.Bundle = &b
		}
	}
	if c := p.Cache; c != nil {
		d.Cache = &ipsCache{Base: uint64(c.Base), UUID: uuid(task.Darwin, c.UUID[:])}
	}
	index := d.addImages(p)
	for _, thread := range p.Threads {
		d.addThread(p, thread, index)
	}
	return d
}

// addImages lists the images and returns their indices. Index nil is a placeholder
// for frames without an image, added if needed.
func (d *ipsPayload) addImages(p *profile.Profile) map[*profile.Image]int {
	index := map[*profile.Image]int{}
	for _, im := range p.Images {
		if !im.Placed() && (im.Generated || im.Name() == "") {
			continue
		}
		index[im] = len(d.Images)
		d.Images = append(d.Images, ipsImage{
			Source: "P", Arch: notation.ArchName(im.Variant, im.Arch), Base: uint64(im.Load), Size: uint64(im.End - im.Load), UUID: uuid(p.Target.OS, im.ID),
			Path: im.Path, Name: im.Name(), ID: im.Bundle.ID, Version: im.Bundle.Version, Build: im.Bundle.Build,
		})
	}
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			if !has(index, n.Image) && !has(index, nil) {
				index[nil] = len(d.Images)
				d.Images = append(d.Images, ipsImage{Source: "A", UUID: notation.NoID})
			}
		}
	}
	return index
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// Names of pseudo-threads that hold the stack of an exception: the last one, which
// nobody caught, and, with a number appended, those that the application reported.
const (
	lastException = "Last Exception Backtrace"
	appBacktrace  = "Application Specific Backtrace"
)

// isThrown reports whether a thread is the stack of an exception.
func isThrown(t *profile.Thread) bool {
	return t.ID == 0 && (t.Name == lastException || strings.HasPrefix(t.Name, appBacktrace))
}

func (d *ipsPayload) addThread(p *profile.Profile, t *profile.Thread, index map[*profile.Image]int) {
	frames := []ipsFrame{}
	stack := t.Heaviest() // the only one
	for i := len(stack) - 1; i >= 0; i-- {
		frames = append(frames, newIPSFrame(stack[i], index))
	}
	switch {
	case isThrown(t) && t.Name == lastException:
		d.LastException = frames
		return
	case isThrown(t):
		d.ASIBacktraces = append(d.ASIBacktraces, appFrames(t))
		return
	}
	thread := ipsThread{ID: uint64(t.ID), Name: t.Name, Queue: t.Queue, Frames: frames, rest: ipsRestOf(p).threads[t.ID]}
	if c := p.Target.Crash; c != nil && c.Thread != 0 && c.Thread == t.ID {
		n := len(d.Threads)
		thread.Triggered, d.Faulting = true, &n
	}
	d.Threads = append(d.Threads, thread)
}

func newIPSFrame(n *profile.Node, index map[*profile.Image]int) ipsFrame {
	f := ipsFrame{Offset: uint64(n.PC), File: n.File, Line: n.Line, Symbol: n.Function, Image: index[nil], Inline: n.Inlined}
	if i, listed := index[n.Image]; listed && n.Image != nil {
		f.Image, f.Offset = i, uint64(n.PC-n.Image.Load)
	}
	if n.Kernel && f.Symbol != "" {
		f.Symbol += notation.KernelMark
	}
	if n.Function != "" && !n.Inlined && n.Function != profile.Trampoline {
		location := n.Offset
		f.Location = &location
	}
	return f
}

// Parts of the text that a crash has of a Mach exception: TYPE: SUBTYPE, codes CODES.
const (
	exceptionPrefix = "EXC_" // prefix of the names of Mach exceptions
	codesMark       = ", codes "
)

func newIPSException(c *task.Crash) *ipsException {
	if c == nil {
		return nil
	}
	e := &ipsException{Signal: c.Signal, Subtype: c.Detail}
	if strings.HasPrefix(c.Signal, exceptionPrefix) { // an exception without a signal
		e.Type, e.Signal = c.Signal, ""
	} else if strings.HasPrefix(c.Detail, exceptionPrefix) {
		e.Type, e.Subtype, _ = strings.Cut(c.Detail, ": ")
	}
	if strings.HasPrefix(e.Subtype, "0x") {
		e.Codes, e.Subtype = e.Subtype, ""
	} else {
		e.Subtype, e.Codes, _ = strings.Cut(e.Subtype, codesMark)
	}
	return e
}

// cpuType returns the name of the architecture in crash reports.
func cpuType(p *profile.Profile) string {
	return strings.Replace(notation.CodeTypes[p.Target.Arch], "ARM64", "ARM-64", 1)
}

// uuid formats a UUID as in .ips files, or a build-id.
func uuid(os task.OS, id []byte) string { return strings.ToLower(notation.ImageID(os, id)) }
