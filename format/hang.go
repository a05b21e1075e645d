package format

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hang"
)

// HangWriter writes the report of one hang in one form.
type HangWriter func(io.Writer, *hang.Report) error

// Hang writes the report of a hang for people: when and how long, what the
// thread did from phase to phase, and then all samples as [Tree] does, and what the
// thread waited for in other processes. A periodic report is the tree alone.
func Hang(o Options) HangWriter {
	return func(w io.Writer, r *hang.Report) error {
		if r.Reason == hang.Hang {
			if err := writeHang(newPrinter(w, r.Profile, o), r); err != nil {
				return err
			}
		}
		for _, p := range append([]*profile.Profile{r.Profile}, r.Followed.Profiles...) {
			if err := Tree(o)(w, p); err != nil {
				return err
			}
			if _, err := io.WriteString(w, "\n"); err != nil { // another one may follow
				return err
			}
		}
		return nil
	}
}

func writeHang(p *printer, r *hang.Report) error {
	p.fact("Hang", fmt.Sprintf("%s for %s%s", r.Kind, duration(r.Duration), unfinished(r)))
	p.fact("Hang Start", moment(r.Start))
	if r.Ended {
		p.fact("Hang End", moment(r.Start.Add(r.Duration)))
	} else {
		p.fact("Reported", clean("while it went on: "+r.Why, maxText))
	}
	p.fact("Hang Thread", p.threadName(r.Thread, r.Name))
	p.fact("Hang CPU", fmt.Sprintf("%s, %s of the time", seconds(r.CPU), share(float64(r.CPU), float64(r.Duration))))
	p.followed(&r.Followed)
	p.phases(r)
	straight := *p
	straight.profile = p.profile.Straight()
	if t := straight.profile.Find(r.Thread); t != nil && !t.Main {
		straight.heaviestOf(t, "the thread")
	}
	p.line("")
	return p.Flush()
}

// followed says for whom the thread waited in other processes, whose stacks are below.
func (p *printer) followed(f *capture.Followed) {
	if len(f.Profiles)+len(f.Missing) > 0 && len(f.Chain) > 0 {
		p.fact("Hang Waits", p.cut(p.circle(f.Chain)))
	}
	p.circles(f.Deadlocks)
	p.uncaptured(f.Missing)
}

func unfinished(r *hang.Report) string {
	if r.Ended {
		return ""
	}
	return ", and still"
}

// phases writes what the thread did, while it was sampled.
func (p *printer) phases(r *hang.Report) {
	for i, ph := range r.Phases {
		if i == 0 {
			p.line("")
			p.line("What the thread did:")
		}
		p.text("  ", 6, p.phase(r, &ph))
	}
}

// phase tells of one run of samples.
func (p *printer) phase(r *hang.Report, ph *hang.Phase) string {
	text := p.shown(ph.Function)
	if text == "" {
		text = "???"
	}
	if ph.Wait != nil {
		text += ", waits " + p.waitFor(r.Thread, ph.Wait)
	}
	return fmt.Sprintf("%9s  for %s, %s: %s", "+"+duration(ph.Start), duration(ph.Duration), plural(ph.Samples, "sample"), text)
}

// HangLine writes the report of a hang as one line of JSON, in the schema that
// JSON.md describes.
func HangLine(w io.Writer, r *hang.Report) error {
	// Made whole before it is written, so that a reader of lines never sees a part.
	var b bytes.Buffer
	if err := encode(&b, newHang(r), "", append([]*profile.Profile{r.Profile}, r.Followed.Profiles...)...); err != nil {
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

func newHang(r *hang.Report) *jsonHang {
	j := &jsonHang{
		Schema: hangSchema, Version: hangVersion, Reason: "periodic", Thread: uint64(r.Thread),
		Name: r.Name, Start: knownTime(r.Start), Duration: int64(r.Duration), Profile: newDocument(r.Profile),
	}
	if r.Reason != hang.Hang {
		return j
	}
	j.Reason, j.End = "hang", knownTime(r.Start.Add(r.Duration))
	j.Ended, j.Why, j.Kind, j.CPU = r.Ended, r.Why, r.Kind.String(), int64(r.CPU)
	for _, ph := range r.Phases {
		j.Phases = append(j.Phases, jsonPhase{int64(ph.Start), int64(ph.Duration), ph.Samples, ph.Function, newJSONWait(ph.Wait)})
	}
	f := &r.Followed
	j.Chain, j.Deadlocks, j.Missing = newJSONWaiters(f.Chain), newJSONDeadlocks(f.Deadlocks), newJSONMissing(f.Missing)
	for _, p := range f.Profiles {
		j.Followed = append(j.Followed, newDocument(p))
	}
	return j
}
