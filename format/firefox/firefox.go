// Package firefox writes timelines as the Firefox Profiler opens them.
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

// firefoxVersion is the version of the Firefox Profiler's processed profiles (its source,
// docs-developer/CHANGELOG-formats.md and src/types/profile.ts), and geckoVersion what
// goes with it of Firefox's own.
const (
	firefoxVersion = 70
	geckoVersion   = 36
)

// Write writes the profile as the Firefox Profiler keeps its own: each thread with its
// samples in the order of time, their states as categories, the CPU time that each has
// used, and markers of what looks found it to wait for. It fails with [ErrNoTimeline]
// where it is not known when samples were taken.
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

// firefoxWriter writes threads at once, and tables once all is known.
type firefoxWriter struct {
	jsonstream.Stream
	firefoxTables
	threads int
	pids    map[int]int // how often one was met

	profile *profile.Profile // whose threads are written
	pid     string
	shift   time.Duration // from the file's start to the profile's
}

func (o *firefoxWriter) process(p *profile.Profile, shift time.Duration) {
	o.profile, o.shift, o.system = p, shift, p.Target.OS
	o.pid = strconv.Itoa(p.Target.PID)
	if n := o.pids[p.Target.PID]; n > 0 { // it has called exec, and is another process there
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

// firefoxThread is what is told of a thread beside its samples and markers.
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

// lifetime is from when to when a thread was seen; the end is nil where it was there at
// the end.
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

// firefoxName names a thread as its process does, else by its queue or its id.
func firefoxName(p *profile.Profile, t *profile.Thread) string {
	switch {
	case t.Name != "":
		return words.Clean(t.Name, words.MaxText)
	case t.Queue != "":
		return words.Clean(t.Queue, words.MaxText)
	}
	return words.ThreadLabel(p, t)
}

// firefoxID is text where JavaScript has no such number.
func firefoxID(id task.ThreadID) any {
	const most = 1 << 53
	if id < most {
		return uint64(id)
	}
	return strconv.FormatUint(uint64(id), 10)
}

// millis is a time of the profile in milliseconds after the file's start.
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

// micros is a time in microseconds, none where it is not known.
func micros(d time.Duration) int {
	if d < 0 {
		return none
	}
	return int(d / time.Microsecond)
}

// each writes a column of the samples, and returns how many there are.
func (o *firefoxWriter) each(column string, t *profile.Thread, write func(*profile.Moment)) (n int) {
	o.Value(column)
	o.Text(":[")
	var now profile.Moment // one for all, for it is not known that write does not keep it
	for now = range o.profile.Moments(t) {
		o.Separate(n)
		write(&now)
		n++
	}
	o.Text("]")
	return n
}

// countsMoments reports whether it is known of any sample what CPU time it has used.
func countsMoments(p *profile.Profile, t *profile.Thread) bool {
	for m := range p.Moments(t) {
		if m.CPU >= 0 {
			return true
		}
	}
	return false
}
