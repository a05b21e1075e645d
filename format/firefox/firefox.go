// Package firefox writes timelines for the Firefox Profiler.
package firefox

import (
	"io"
	"strconv"
	"time"

	"stacksnap/format/internal/jsonstream"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// firefoxVersion is the version of the Firefox Profiler's processed profile format (its
// source, docs-developer/CHANGELOG-formats.md and src/types/profile.ts), and geckoVersion
// the matching version of Gecko's format.
const (
	firefoxVersion = 70
	geckoVersion   = 36
)

// Write writes profiles in the Firefox Profiler's processed format. Each thread has its
// samples in the order of time, with states as categories and CPU time, and markers for its
// waits, hangs and deadlocks. It returns [timeline.ErrNoTimeline] if the times of samples
// are unknown.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	g := &r.Group
	if err := timeline.Check(g); err != nil {
		return err
	}
	o := &firefoxWriter{Stream: jsonstream.New(w), firefoxTables: newFirefoxTables(), pids: map[int]int{}}
	o.Text(`{"meta":`)
	o.Value(firefoxMetaOf(g))
	o.Text(",\n\"threads\":[")
	start := timeline.FirstStart(g)
	for _, p := range g.Profiles {
		o.process(p, timeline.Since(start, p))
	}
	o.Text("\n],\n")
	o.tables()
	o.Text("}\n")
	return o.Out.Flush()
}

// firefoxWriter writes threads one by one, and the shared tables at the end.
type firefoxWriter struct {
	jsonstream.Stream
	firefoxTables
	threads int
	pids    map[int]int // number of profiles with that pid so far

	profile *profile.Profile // current profile
	pid     string
	shift   time.Duration // time from the file's start to the profile's
}

func (o *firefoxWriter) process(p *profile.Profile, shift time.Duration) {
	o.profile, o.shift, o.system = p, shift, p.Target.OS
	o.pid = strconv.Itoa(p.Target.PID)
	if n := o.pids[p.Target.PID]; n > 0 { // after exec; the Profiler needs another pid
		o.pid += "." + strconv.Itoa(n)
	}
	o.pids[p.Target.PID]++
	for _, t := range p.Threads {
		if t.Timeline != nil {
			o.Separate(o.threads)
			o.threads++
			o.thread(t)
		}
	}
}

// firefoxThread is the data of a thread beside its samples and markers.
type firefoxThread struct {
	Type       string   `json:"processType"`
	Startup    float64  `json:"processStartupTime"`
	Shutdown   *float64 `json:"processShutdownTime"`
	Register   float64  `json:"registerTime"`
	Unregister *float64 `json:"unregisterTime"`
	Paused     []string `json:"pausedRanges"`
	Markers    bool     `json:"showMarkersInTimeline"`
	Name       string   `json:"name"`
	Main       bool     `json:"isMainThread"`
	Process    string   `json:"processName"`
	PID        string   `json:"pid"`
	TID        any      `json:"tid"`
}

func (o *firefoxWriter) thread(t *profile.Thread) {
	about := firefoxThread{
		Type: "default", Paused: []string{}, Markers: true, Name: firefoxName(o.profile, t), Main: t.Main,
		Process: words.Clean(o.profile.Target.Name, words.MaxText), PID: o.pid, TID: firefoxID(t.ID),
	}
	about.Register, about.Unregister = o.lifetime(t)
	about.Startup = o.millis(0)
	o.Text("\n")
	o.Opened(about)
	o.Text("\"samples\":{")
	o.samples(t)
	o.Text("},\"markers\":{")
	o.markers(t)
	o.Text("}}")
}

// lifetime returns the times at which a thread was first and last seen, in milliseconds. to
// is nil if the last snapshot has the thread.
func (o *firefoxWriter) lifetime(t *profile.Thread) (from float64, to *float64) {
	first, last := time.Duration(-1), time.Duration(0)
	for s := range timeline.Stretches(o.profile, t) {
		if first < 0 {
			first = s.At
		}
		last = s.Until
	}
	if t.Last >= 0 && t.Last < o.profile.Snapshots-1 {
		end := o.millis(last)
		to = &end
	}
	return o.millis(max(0, first)), to
}

// firefoxName returns the thread's name, or else its queue or its id.
func firefoxName(p *profile.Profile, t *profile.Thread) string {
	switch {
	case t.Name != "":
		return words.Clean(t.Name, words.MaxText)
	case t.Queue != "":
		return words.Clean(t.Queue, words.MaxText)
	}
	return words.ThreadLabel(p, t)
}

// firefoxID returns a thread id as a number, or as text if JavaScript has no such number.
func firefoxID(id task.ThreadID) any {
	const most = 1 << 53
	if id < most {
		return uint64(id)
	}
	return strconv.FormatUint(uint64(id), 10)
}

// millis returns a time of the profile in milliseconds after the file's start.
func (o *firefoxWriter) millis(at time.Duration) float64 {
	return float64((o.shift + at).Nanoseconds()) / 1e6
}

// samples writes the table of a thread's samples, column by column.
func (o *firefoxWriter) samples(t *profile.Thread) {
	stacks := o.stacksOf(t)
	n := o.each("stack", t, func(m *profile.Moment) { o.Integer(int64(stacks.of(m.Node, m.State))) })
	o.Text(",")
	o.each("time", t, func(m *profile.Moment) { o.Float(o.millis(m.At)) })
	if countsMoments(o.profile, t) {
		o.Text(",")
		o.each("threadCPUDelta", t, func(m *profile.Moment) { o.OrNull(micros(m.CPU)) })
	}
	o.Text(`,"weight":null,"weightType":"samples","length":`)
	o.Integer(int64(n))
}

// micros returns a duration in microseconds, none if it is unknown (negative).
func micros(d time.Duration) int {
	if d < 0 {
		return none
	}
	return int(d / time.Microsecond)
}

// each writes a column of the samples and returns their number.
func (o *firefoxWriter) each(column string, t *profile.Thread, write func(*profile.Moment)) (n int) {
	o.Value(column)
	o.Text(":[")
	var now profile.Moment // one variable for all, since it escapes to the heap
	for now = range o.profile.Moments(t) {
		o.Separate(n)
		write(&now)
		n++
	}
	o.Text("]")
	return n
}

// countsMoments reports whether the CPU time of any sample is known.
func countsMoments(p *profile.Profile, t *profile.Thread) bool {
	for m := range p.Moments(t) {
		if m.CPU >= 0 {
			return true
		}
	}
	return false
}
