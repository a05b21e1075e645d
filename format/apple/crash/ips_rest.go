package crash

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// ipsRest is the JSON of an .ips file that the model cannot hold. When the profile is
// written as an .ips file, it is written again.
type ipsRest struct {
	header, body members
	threads      map[task.ThreadID]members
	notes        []string // notes that were made from members
}

// members are the members of a JSON object by name.
type members map[string]json.RawMessage

func newIPSRest(header []byte) *ipsRest {
	rest := &ipsRest{header: members{}, body: members{}, threads: map[task.ThreadID]members{}}
	_ = json.Unmarshal(header, &rest.header) // it was parsed before
	return rest
}

// ipsRestOf returns the rest of the .ips file that the profile was read from. It is
// empty for other profiles.
func ipsRestOf(p *profile.Profile) *ipsRest {
	if rest, ok := p.Report.(*ipsRest); ok {
		return rest
	}
	return &ipsRest{}
}

// headerOf encodes the line before the document: the original one if the profile was
// read from an .ips file.
func (r *ipsRest) headerOf(p *profile.Profile) ([]byte, error) {
	if len(r.header) > 0 {
		return json.Marshal(r.header)
	}
	return json.Marshal(newIPSHeader(p))
}

// modelled are the members of the document that are written from the model only.
var modelled = map[string]bool{
	"userID": true, "modelCode": true, "captureTime": true, "pid": true, "cpuType": true, "translated": true, "bug_type": true,
	"procLaunch": true, "procName": true, "procPath": true, "bundleInfo": true, "parentProc": true, "parentPid": true,
	"reportNotes": true, "analysisTool": true, "faultingThread": true, "threads": true, "usedImages": true, "lastExceptionBacktrace": true,
}

// of encodes value as an object with these members before its own.
func (m members) of(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil || len(m) == 0 {
		return text, err
	}
	own := members{}
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, err
	}
	maps.Copy(own, m)
	return json.Marshal(own)
}

// indented indents a document.
func indented(text []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	return b.Bytes(), err
}

// MarshalJSON writes the thread with the keys of the original report that the model lacks.
func (t ipsThread) MarshalJSON() ([]byte, error) {
	type plain ipsThread
	return t.rest.of(plain(t))
}

// UnmarshalJSON keeps the keys that the model lacks.
func (t *ipsThread) UnmarshalJSON(text []byte) error {
	type plain ipsThread
	err := json.Unmarshal(text, (*plain)(t))
	if known(err) != nil {
		return err
	}
	if json.Unmarshal(text, &t.rest) != nil {
		return err
	}
	for _, name := range []string{"triggered", "id", "name", "queue", "frames"} {
		delete(t.rest, name)
	}
	return err
}

// ipsDecimals is how many a time's seconds have in an .ips file.
const ipsDecimals = 4

func ipsMoment(t time.Time) string { return notation.Moment(t, ipsDecimals) }

// backtraces reads the stacks that the application reported, which are text.
func (r *ipsReader) backtraces() {
	d := &r.report
	if len(d.ASIBacktraces) == 0 {
		return
	}
	texts := newTextReader()
	for _, im := range slices.Clone(d.Images) {
		texts.images = append(texts.images, &profile.Image{Path: im.Path, Load: task.Addr(im.Base), End: task.Addr(im.Base + max(im.Size, 1))})
	}
	texts.ips.report.Images = d.Images
	for i, text := range d.ASIBacktraces {
		if i == notation.MaxLines {
			r.full = true
			break
		}
		texts.backtrace(appBacktrace + " " + strconv.Itoa(i+1))
		for line := range bytes.Lines([]byte(text)) {
			texts.frame(string(bytes.TrimRight(line, "\r\n")))
		}
	}
	texts.place()
	d.Images, d.Backtraces = texts.ips.report.Images, texts.ips.report.Backtraces
	r.full = r.full || texts.ips.full
}
