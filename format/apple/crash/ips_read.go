package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/jsonpart"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// ErrNotReport is returned for a file that is not a readable report of Apple's tools.
var ErrNotReport = errors.New("not a report of Apple's")

// maxIPS is the number of bytes read of an .ips file. Real ones have some 100 KB.
const maxIPS = 64 << 20

// Limits of what is kept of a report.
const (
	maxIPSFrames = 1 << 17 // frames and threads
	maxIPSRest   = 8 << 20 // bytes that the model cannot hold
)

// translatedReport begins the text that Console copies: the crash report as text, and
// the .ips file below it.
var translatedReport = []byte("Translated Report (Full Report Below)")

// IsIPS reports whether a file begins like the .ips file of a crash: with its first
// line of JSON, or with the translated report that Xcode writes instead of the JSON.
func IsIPS(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return isIPSHeader(first) && !notation.HasLine(head, "Process:") || bytes.HasPrefix(first, []byte("-----")) && bytes.Contains(head, translatedReport)
}

// isIPSHeader reports whether a line is the first line of the .ips file of a crash.
func isIPSHeader(line []byte) bool {
	var h ipsHeader
	return bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &h) == nil && h.BugType == ipsBugType
}

// ReadIPS reads an .ips file. For a truncated file it returns what the file has, with
// a note.
func ReadIPS(from *bufio.Reader) (*profile.Profile, error) {
	whole := &io.LimitedReader{R: from, N: maxIPS}
	in := bufio.NewReader(whole)
	var header []byte
	err := notation.EachLine(in, func(line string) bool {
		if isIPSHeader([]byte(line)) {
			header = []byte(line)
		}
		return header == nil
	})
	switch {
	case err != nil:
		return nil, err
	case header == nil:
		return nil, ErrNotReport
	}
	r := &ipsReader{in: jsonpart.NewReader(in), rest: newIPSRest(header)}
	if err := r.payload(); err != nil {
		return nil, err
	}
	r.full = r.full || whole.N <= 0
	r.backtraces()
	p := r.profile()
	r.rest.notes = r.made()
	p.Report = r.rest
	return p, nil
}

// ipsReader reads the document of an .ips file, member by member, and keeps what
// precedes an error or the end.
type ipsReader struct {
	in     *jsonpart.Reader
	report ipsPayload
	rest   *ipsRest
	kept   int // bytes in rest
	frames int
	cut    bool
	full   bool // a limit was reached

	numbered bool // ids are numbers of threads, in the order of the kernel's list
}

// payload reads the document, up to its end, the first error, or a limit.
func (r *ipsReader) payload() error {
	err := r.in.Members(r.member)
	switch {
	case err == nil:
	case errors.Is(err, jsonpart.ErrTooLarge):
		r.full = true
	case isCut(err):
		r.cut = true
	default:
		return err
	}
	return nil
}

// isCut reports whether an error means that the document is truncated or continues
// with invalid JSON.
func isCut(err error) bool {
	var part *jsonpart.SyntaxError
	var value *json.SyntaxError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &part) || errors.As(err, &value)
}

// member reads a member of the document. It ignores a value of an unexpected type.
func (r *ipsReader) member(name string) error {
	d := &r.report
	to := map[string]any{
		"userID": &d.UserID, "modelCode": &d.Model, "osVersion": &d.OS, "captureTime": &d.Captured, "pid": &d.PID,
		"cpuType": &d.CPUType, "translated": &d.Translated, "procLaunch": &d.Launched, "procName": &d.Name, "procPath": &d.Path,
		"bundleInfo": &d.Bundle, "parentProc": &d.Parent, "parentPid": &d.ParentPID, "exception": &d.Exception,
		"termination": &d.Termination, "asi": &d.ASI, "reportNotes": &d.ReportNotes, "analysisTool": &d.Tool, "faultingThread": &d.Faulting,
		"asiBacktraces": &d.ASIBacktraces,
	}
	switch name {
	case "threads":
		return each(r, r.addThread)
	case "usedImages":
		return each(r, r.addImage)
	case "lastExceptionBacktrace":
		return each(r, r.addException)
	}
	value := to[name]
	if value != nil && modelled[name] {
		return known(r.in.Decode(value))
	}
	if r.kept > maxIPSRest {
		r.full = true
		return r.in.Skip()
	}
	var raw json.RawMessage
	if err := r.in.Decode(&raw); err != nil {
		return err
	}
	r.kept += r.in.Size()
	if !modelled[name] {
		r.rest.body[name] = raw
	}
	if value == nil {
		return nil
	}
	return known(json.Unmarshal(raw, value))
}

// known returns err, or nil if err only says that a value has an unexpected type.
func known(err error) error {
	if other := (*json.UnmarshalTypeError)(nil); errors.As(err, &other) {
		return nil
	}
	return err
}

// each reads an array, element by element, until add reports that there is no more
// room.
func each[T any](r *ipsReader, add func(T) (room bool)) error {
	room := true
	return r.in.Elements(func() error {
		if !room {
			return r.in.Skip()
		}
		var element T
		if err := known(r.in.Decode(&element)); err != nil {
			return err
		}
		room = add(element)
		return nil
	})
}

// hasRoom counts frames, and reports whether they are within the limit.
func (r *ipsReader) hasRoom(frames int) bool {
	r.frames += frames
	r.full = r.full || r.frames > maxIPSFrames
	return r.frames <= maxIPSFrames
}

func (r *ipsReader) addThread(t ipsThread) bool {
	if !r.hasRoom(1 + len(t.Frames)) {
		return false
	}
	if len(t.rest) > 0 && r.rest != nil {
		r.keepRest(t.ID, t.rest)
	}
	r.report.Threads = append(r.report.Threads, t)
	return true
}

// keepRest keeps the members of a thread that the model cannot hold.
func (r *ipsReader) keepRest(id uint64, rest members) {
	for name, value := range rest {
		r.kept += len(name) + len(value)
	}
	if r.kept > maxIPSRest {
		r.full = true
		return
	}
	r.rest.threads[task.ThreadID(id)] = rest
}

// addException adds a frame of the stack on which the last exception was thrown.
func (r *ipsReader) addException(f ipsFrame) bool {
	if !r.hasRoom(1) {
		return false
	}
	r.report.LastException = append(r.report.LastException, f)
	return true
}

func (r *ipsReader) addImage(im ipsImage) bool {
	if len(r.report.Images) == notation.MaxImages {
		r.full = true
		return false
	}
	r.report.Images = append(r.report.Images, im)
	return true
}

// reportCrash is the program that writes crash reports on a Mac.
const reportCrash = "ReportCrash"
