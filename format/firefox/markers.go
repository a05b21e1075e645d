package firefox

import (
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// firefoxSchema defines how the Profiler shows markers of a type.
type firefoxSchema struct {
	Name    string         `json:"name"`
	Tooltip string         `json:"tooltipLabel"`
	Table   string         `json:"tableLabel"`
	Chart   string         `json:"chartLabel"`
	Display []string       `json:"display"`
	Fields  []firefoxField `json:"fields"`
	About   string         `json:"description"`
}

type firefoxField struct {
	Key    string `json:"key"`
	Label  string `json:"label"`
	Format string `json:"format"`
}

// The types of markers.
const (
	firefoxWait     = "Wait"
	firefoxHang     = "Hang"
	firefoxDeadlock = "Deadlock"
)

func firefoxSchemas() []firefoxSchema {
	schema := func(name, about string) firefoxSchema {
		return firefoxSchema{
			Name: name, Tooltip: name, Table: "{marker.data.what}", Chart: "{marker.data.what}", About: about,
			Display: []string{"marker-chart", "marker-table", "timeline-overview"},
			Fields:  []firefoxField{{"what", "What", "string"}, {"found", "Found", "string"}},
		}
	}
	return []firefoxSchema{
		schema(firefoxWait, "All samples from its start to its end found the thread at the same place, and not running. What it waits for is what checks have found, if there were any."),
		schema(firefoxHang, "No sample from its start to its end, which are 250 ms apart at least, found the thread where its run loop waits."),
		schema(firefoxDeadlock, "Threads that wait for each other, from the first to the last check that found them so."),
	}
}

// firefoxMarker is an event in a thread that lasts for a while.
type firefoxMarker struct {
	kind, what string
	found      string        // number of observations or samples
	from, to   time.Duration // times from the profile's start
}

// markersOf returns the markers of a thread: waits, then hangs, then deadlocks.
func (o *firefoxWriter) markersOf(t *profile.Thread) (all []firefoxMarker) {
	say := words.NewWords(o.profile)
	for s := range timeline.Stretches(o.profile, t) {
		if s.Waits() {
			all = append(all, firefoxMarker{firefoxWait, say.WaitOf(t, &s), words.ByLooks(s.Looks), s.At, s.Until})
		}
	}
	for _, h := range timeline.LongAbsences(o.profile, t) {
		what := "away from its run loop for " + words.Duration(h.To-h.From)
		all = append(all, firefoxMarker{firefoxHang, what, "in " + words.Plural(h.Samples, "sample"), h.From, h.To})
	}
	for i := range o.profile.Deadlocks {
		d := &o.profile.Deadlocks[i]
		for j := range d.Waiters {
			if w := &d.Waiters[j]; w.ID == t.ID {
				all = append(all, firefoxMarker{firefoxDeadlock, say.WaitsFor(w), words.ByLooks(d.Looks), d.From, d.To})
			}
		}
	}
	return all
}

// markers writes the table of a thread's markers.
func (o *firefoxWriter) markers(t *profile.Thread) {
	all := o.markersOf(t)
	n := len(all)
	o.integers("name", n, func(i int) int64 { return int64(o.strings.Of(all[i].kind)) })
	o.Column("startTime", n, func(i int) { o.Float(o.millis(all[i].from)) })
	o.Text(",")
	o.Column("endTime", n, func(i int) {
		if all[i].from == all[i].to {
			o.Text("null")
			return
		}
		o.Float(o.millis(all[i].to))
	})
	o.Text(",")
	o.integers("phase", n, func(i int) int64 {
		if all[i].from == all[i].to {
			return 0 // an instant
		}
		return 1 // an interval
	})
	o.integers("category", n, func(int) int64 { return firefoxOther })
	o.Column("data", n, func(i int) {
		o.Value(struct {
			Type  string `json:"type"`
			What  string `json:"what"`
			Found string `json:"found,omitempty"`
		}{all[i].kind, all[i].what, all[i].found})
	})
	o.length(n)
}
