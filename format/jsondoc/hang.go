package jsondoc

import (
	"bytes"
	"io"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
)

// writeHang writes the report of a hang as one line of JSON. It writes the line at once, so
// that a reader never sees a part of it.
func writeHang(w io.Writer, r *report.Report) error {
	var b bytes.Buffer
	if err := encode(&b, newHang(r), "", r.Profiles...); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

const (
	hangSchema  = "stacksnap.hang"
	hangVersion = 1
)

type jsonHang struct {
	Schema   string        `json:"schema"`
	Version  int           `json:"version"`
	Reason   string        `json:"reason"`
	Thread   uint64        `json:"thread"`
	Name     string        `json:"name,omitempty"`
	Start    *time.Time    `json:"start,omitempty"`
	Before   bool          `json:"from_start,omitempty"`
	End      *time.Time    `json:"end,omitempty"`
	Duration int64         `json:"duration_ns"`
	Ended    bool          `json:"ended"`
	Why      string        `json:"why,omitempty"`
	Kind     string        `json:"kind,omitempty"`
	CPU      int64         `json:"cpu_ns,omitempty"`
	Phases   []jsonPhase   `json:"phases,omitempty"`
	Profile  *jsonDocument `json:"profile"`

	Chain     []jsonWaiter    `json:"chain,omitempty"`
	Deadlocks [][]jsonWaiter  `json:"deadlocks,omitempty"`
	Missing   []jsonMissing   `json:"missing,omitempty"`
	Followed  []*jsonDocument `json:"followed,omitempty"`
}

type jsonPhase struct {
	Start    int64     `json:"start_ns"`
	Duration int64     `json:"duration_ns"`
	Samples  int       `json:"samples"`
	Function string    `json:"function,omitempty"`
	Wait     *jsonWait `json:"wait,omitempty"`
}

func newHang(all *report.Report) *jsonHang {
	r := all.Hang
	j := &jsonHang{
		Schema: hangSchema, Version: hangVersion, Reason: "periodic", Thread: uint64(r.Thread),
		Name: r.Name, Start: timeline.Known(r.Start), Duration: int64(r.Duration), Profile: newDocument(all.Profiles[0]),
	}
	switch r.Reason {
	case hangreport.Periodic:
		return j
	case hangreport.Deadlocked:
		j.Reason = "deadlock"
		return j
	}
	j.Reason, j.End = "hang", timeline.Known(r.Start.Add(r.Duration))
	j.Before, j.Ended, j.Why, j.Kind, j.CPU = r.FromStart, r.Ended, r.Why, r.Kind.String(), int64(r.CPU)
	for _, ph := range r.Phases {
		j.Phases = append(j.Phases, jsonPhase{int64(ph.Start), int64(ph.Duration), ph.Samples, ph.Function, newJSONWait(ph.Wait)})
	}
	j.Chain, j.Deadlocks, j.Missing = newJSONWaiters(r.Followed.Chain), newJSONDeadlocks(all.Deadlocks), newJSONMissing(all.Missing)
	for _, p := range all.Profiles[1:] {
		j.Followed = append(j.Followed, newDocument(p))
	}
	return j
}
