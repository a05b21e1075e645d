// Package chrome writes timelines for Chrome's DevTools and Perfetto.
package chrome

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"time"

	"stacksnap/format/internal/jsonstream"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// Write writes profiles as trace events, in the variants that Perfetto reads
// (src/trace_processor/importers/json). Stacks are V8 CPU profiles, one for each thread,
// which Chrome's DevTools read too. States are thread states, waits and hangs are slices of
// the thread, deadlocks slices of the process. It returns [timeline.ErrNoTimeline] if the
// times of samples are unknown.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	g := &r.Group
	if err := timeline.Check(g); err != nil {
		return err
	}
	o := &chromeWriter{Stream: jsonstream.New(w), ids: map[uint64]bool{}}
	o.Text(`{"displayTimeUnit":"ms","metadata":`)
	o.Value(chromeAbout(g))
	o.Text(`,"traceEvents":[`)
	start := timeline.FirstStart(g)
	for _, p := range g.Profiles {
		o.process(p, timeline.Since(start, p))
	}
	o.Text("\n]}\n")
	return o.Out.Flush()
}

func chromeAbout(g *profile.Group) map[string]string {
	about := map[string]string{"tool": words.Clean(g.Tool, words.MaxText), "captured": words.GroupName(g)}
	if start := timeline.FirstStart(g); !start.IsZero() {
		about["start"] = start.Format(time.RFC3339Nano)
	}
	return about
}

// chromeWriter writes events one by one.
type chromeWriter struct {
	jsonstream.Stream
	events   int
	profiles int             // number of V8 profiles so far
	nodes    int             // number of nodes in all of them; unique, as some readers make one tree of all
	ids      map[uint64]bool // pids and tids in use

	profile *profile.Profile
	pid     uint64
	shift   time.Duration // time from the file's start to the profile's
}

// chromeEvent is one event. Times are in microseconds.
type chromeEvent struct {
	Name     string   `json:"name"`
	Phase    string   `json:"ph"`
	Category string   `json:"cat"`
	PID      uint64   `json:"pid"`
	TID      uint64   `json:"tid"`
	ID       string   `json:"id,omitempty"`
	Time     float64  `json:"ts"`
	Duration *float64 `json:"dur,omitempty"`
	Args     any      `json:"args,omitempty"`
}

func (o *chromeWriter) event(e chromeEvent) {
	o.Separate(o.events)
	o.events++
	e.PID = o.pid
	o.Text("\n")
	o.Value(e)
}

// micros returns a time of the profile in microseconds after the file's start.
func (o *chromeWriter) micros(at time.Duration) float64 {
	return float64((o.shift + at).Nanoseconds()) / 1e3
}

func (o *chromeWriter) process(p *profile.Profile, shift time.Duration) {
	o.profile, o.shift = p, shift
	o.pid = o.unique(uint64(p.Target.PID))
	o.name("process_name", o.pid, words.ProcessLabel(p))
	i := 0
	for t := range words.ThreadsByFunction(p) {
		if t.Timeline != nil {
			o.thread(t, i)
			i++
		}
	}
	for i := range p.Deadlocks {
		o.deadlock(&p.Deadlocks[i], i)
	}
}

// unique returns id, or another one if it is in use or too large for Perfetto.
func (o *chromeWriter) unique(id uint64) uint64 {
	const most = 1 << 31
	if id >= most || id == 0 {
		id = most
	}
	for o.ids[id] {
		id = max(id, most) + 1
	}
	o.ids[id] = true
	return id
}

// name writes the name of a process or a thread, as a metadata event.
func (o *chromeWriter) name(what string, tid uint64, name string) {
	o.event(chromeEvent{Name: what, Phase: "M", Category: "__metadata", TID: tid, Args: map[string]string{"name": name}})
}

// thread writes a thread, the i-th in order.
func (o *chromeWriter) thread(t *profile.Thread, i int) {
	tid := o.pid // on Linux, the main thread's id is the pid
	if o.profile.Target.OS != task.Linux || uint64(t.ID) != uint64(o.profile.Target.PID) {
		tid = o.unique(uint64(t.ID))
	}
	o.name("thread_name", tid, words.ThreadLabel(o.profile, t))
	o.event(chromeEvent{Name: "thread_sort_index", Phase: "M", Category: "__metadata", TID: tid, Args: map[string]int{"sort_index": i}})
	o.states(t, tid)
	o.marks(t, tid)
	o.samples(t, tid)
}

// chromeStates are Perfetto's letters for states, those of Linux. A runnable thread ("R")
// is on a processor or waits for one.
var chromeStates = map[task.State]string{
	task.Running: "R", task.Sleeping: "S", task.Uninterruptible: "D", task.Stopped: "T", task.Ended: "X",
}

// states writes a thread's states, each until the next snapshot.
func (o *chromeWriter) states(t *profile.Thread, tid uint64) {
	for s := range timeline.ByState(timeline.Stretches(o.profile, t)) {
		if name := chromeStates[s.State]; name != "" {
			o.slice(chromeEvent{Name: name, Phase: "T", Category: "state", TID: tid}, s.At, s.Until)
		}
	}
}

// slice writes an event that has a duration.
func (o *chromeWriter) slice(e chromeEvent, from, to time.Duration) {
	duration := float64((to - from).Nanoseconds()) / 1e3
	e.Time, e.Duration = o.micros(from), &duration
	o.event(e)
}

// chromeMark is a slice of a thread.
type chromeMark struct {
	name, category, found string
	from, to              time.Duration
}

// marks writes waits and hangs as nested slices, outer ones first.
func (o *chromeWriter) marks(t *profile.Thread, tid uint64) {
	var all []chromeMark
	say := words.NewWords(o.profile)
	for s := range timeline.Stretches(o.profile, t) {
		if s.Waits() {
			all = append(all, chromeMark{"waits " + say.WaitOf(t, &s), "wait", words.ByLooks(s.Looks), s.At, s.Until})
		}
	}
	for _, h := range timeline.LongAbsences(o.profile, t) {
		all = append(all, chromeMark{"hang", "hang", "in " + words.Plural(h.Samples, "sample"), h.From, h.To})
	}
	slices.SortStableFunc(all, func(a, b chromeMark) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	for _, m := range all {
		e := chromeEvent{Name: m.name, Phase: "X", Category: m.category, TID: tid}
		if m.found != "" {
			e.Args = map[string]string{"found": m.found}
		}
		o.slice(e, m.from, m.to)
	}
}

// deadlock writes a deadlock as a slice of the process.
func (o *chromeWriter) deadlock(d *profile.Deadlock, i int) {
	say := words.NewWords(o.profile)
	waiters := map[string]string{}
	for j := range d.Waiters {
		waiters[say.Waiter(&d.Waiters[j])] = say.WaitsFor(&d.Waiters[j])
	}
	e := chromeEvent{Name: "deadlock", Phase: "b", Category: "deadlock", TID: o.pid, ID: "0x" + strconv.FormatInt(int64(i)+1, 16), Args: waiters}
	e.Time = o.micros(d.From)
	o.event(e)
	e.Phase, e.Args, e.Time = "e", nil, o.micros(d.To)
	o.event(e)
}
