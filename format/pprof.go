package format

import (
	"bufio"
	"io"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
)

// The fields of pprof's Profile (github.com/google/pprof, proto/profile.proto).
const (
	pprofSampleType = 1
	pprofSample     = 2
	pprofMapping    = 3
	pprofLocation   = 4
	pprofFunctions  = 5
	pprofString     = 6
	pprofTime       = 9
	pprofDuration   = 10
	pprofPeriodType = 11
	pprofPeriod     = 12
	pprofComment    = 13
	pprofDefault    = 14
)

// Pprof writes the profile in the form of pprof, not compressed yet, as its files
// mostly are: each stack once a thread, with its samples and, of many snapshots, for how
// long these stand: wall is all of that time, and cpu what the system counted on a
// processor, where it did. Stacks are labelled with their thread; with its state, too,
// where that was the same in all samples. A stack that was cut begins with a frame that
// says so.
func Pprof(w io.Writer, p *profile.Profile) error { return GroupPprof(w, profile.GroupOf(p)) }

// GroupPprof is [Pprof] of several processes in one: stacks are labelled with theirs.
func GroupPprof(w io.Writer, g *profile.Group) error {
	return newPprof(w, g).write(g)
}

func (o *pprofWriter) write(g *profile.Group) error {
	for _, p := range g.Profiles {
		o.process(p)
	}
	o.tables.finish()
	return o.out.Flush()
}

// pprofWriter writes what it is given at once, and keeps only what later samples
// refer to.
type pprofWriter struct {
	out        *bufio.Writer
	tables     *frameTables
	head       message
	timed, cpu bool // the values beside the count of samples
	several    bool // processes
	// onlyNames are the names of threads that are told apart, with no label but the name;
	// nil: all threads are, with all labels.
	onlyNames map[string]bool

	stacks  stackPlaces
	values  []uint64
	scratch message
}

func newPprof(w io.Writer, g *profile.Group) *pprofWriter {
	o := &pprofWriter{out: bufio.NewWriterSize(w, 64<<10), several: len(g.Profiles) > 1}
	o.tables = newFrameTables(&pprofTables{emit: o.emit})
	o.stacks.tables = o.tables
	for _, p := range g.Profiles {
		o.timed = o.timed || newClock(p).known()
		o.cpu = o.cpu || countsCPU(p)
	}
	o.types()
	o.times(g)
	o.comments(g)
	return o
}

// emit writes a field of the profile. The buffer keeps the error for Flush.
func (o *pprofWriter) emit(field int, m message) {
	o.head = o.head[:0].length(field, len(m))
	_, _ = o.out.Write(o.head)
	_, _ = o.out.Write(m)
}

func (o *pprofWriter) number(field int, value int64) {
	_, _ = o.out.Write(message(nil).signed(field, value))
}

// types writes what the values of a sample are.
func (o *pprofWriter) types() {
	kind := func(field int, name, unit string) {
		o.emit(field, message(nil).signed(1, o.tables.string(name)).signed(2, o.tables.string(unit)))
	}
	kind(pprofSampleType, "samples", "count")
	if o.timed {
		kind(pprofSampleType, "wall", "nanoseconds")
		kind(pprofPeriodType, "wall", "nanoseconds")
	}
	if o.cpu {
		kind(pprofSampleType, "cpu", "nanoseconds")
	}
	o.number(pprofDefault, o.tables.string("samples"))
}

// times writes when it was, and at what interval.
func (o *pprofWriter) times(g *profile.Group) {
	var first, last time.Time
	var interval time.Duration
	for _, p := range g.Profiles {
		if knownTime(p.Start) == nil {
			continue
		}
		if first.IsZero() || p.Start.Before(first) {
			first = p.Start
		}
		if end := p.Start.Add(p.Duration()); end.After(last) {
			last = end
		}
		if newClock(p).known() {
			interval = max(interval, p.Interval)
		}
	}
	if !first.IsZero() && first.Year() >= minNanoYear && first.Year() <= maxNanoYear {
		o.number(pprofTime, first.UnixNano())
	}
	o.number(pprofDuration, int64(last.Sub(first)))
	o.number(pprofPeriod, int64(interval))
}

// The years whose moments are a number of nanoseconds since 1970, all of them.
const (
	minNanoYear = 1678
	maxNanoYear = 2261
)

// comments says whose stacks these are, and what to beware of.
func (o *pprofWriter) comments(g *profile.Group) {
	comment := func(s string) {
		if s != "" {
			o.number(pprofComment, o.tables.string(s))
		}
	}
	comment(clean(g.Tool, maxText))
	for _, p := range g.Profiles {
		comment(process(p.Target.Name, p.Target.PID))
		comment(Summary(p))
		for _, note := range p.Notes[:min(len(p.Notes), maxNotes)] {
			comment(clean(note, maxPath))
		}
	}
	for _, m := range g.Missing[:min(len(g.Missing), maxNotes)] {
		comment("missing: " + clean(m.Why, maxPath))
	}
}

// process writes the stacks of a process.
func (o *pprofWriter) process(p *profile.Profile) {
	o.tables.os = p.Target.OS
	o.tables.mapping(p.Main) // the first mapping is to be the program's
	var labels message
	if o.several {
		labels = o.label(labels, "process", clean(p.Target.Name, maxText))
		labels = o.numberLabel(labels, "pid", int64(p.Target.PID))
	}
	clock := newClock(p)
	for _, t := range p.Threads {
		labels := o.threadLabels(labels, p, t)
		for s := range clock.stacks(t) {
			o.sample(&s, labels)
		}
	}
}

// threadLabels are those of all samples of a thread.
func (o *pprofWriter) threadLabels(m message, p *profile.Profile, t *profile.Thread) message {
	if o.onlyNames != nil && !o.onlyNames[t.Name] {
		return o.label(m, "thread", otherThreads)
	}
	if o.onlyNames != nil {
		return o.label(m, "thread", clean(t.Name, maxText))
	}
	m = o.label(m, "thread", clean(t.Name, maxText))
	if p.Target.OS == task.Darwin {
		m = o.label(m, "thread_id", threadID(task.Darwin, t.ID))
	} else { // pprof finds a decimal number only in a label that is one
		m = o.numberLabel(m, "thread_id", int64(t.ID))
	}
	m = o.label(m, "queue", clean(t.Queue, maxText))
	if state, ok := onlyState(t); ok {
		m = o.label(m, "state", state.String())
	}
	return m
}

// onlyState is the state in which a thread was in all samples.
func onlyState(t *profile.Thread) (task.State, bool) {
	if t.Samples <= 1 {
		return t.State, t.State > task.StateUnknown && t.State <= task.Ended
	}
	for state, n := range t.States[task.StateUnknown+1:] {
		if n == t.Samples {
			return task.StateUnknown + 1 + task.State(state), true
		}
	}
	return task.StateUnknown, false
}

// label adds a label with a text, if it is not empty.
func (o *pprofWriter) label(m message, key, text string) message {
	if text == "" {
		return m
	}
	return m.inner(3, message(nil).signed(1, o.tables.string(key)).signed(2, o.tables.string(text)))
}

func (o *pprofWriter) numberLabel(m message, key string, n int64) message {
	return m.inner(3, message(nil).signed(1, o.tables.string(key)).signed(3, n))
}

// sample writes one stack.
func (o *pprofWriter) sample(s *weighed, labels message) {
	o.values = append(o.values[:0], uint64(s.samples))
	if o.timed {
		o.values = append(o.values, uint64(s.wall))
	}
	if o.cpu {
		o.values = append(o.values, uint64(s.cpu))
	}
	o.scratch = o.scratch[:0].packed(1, o.stacks.of(s)).packed(2, o.values)
	o.scratch = append(o.scratch, labels...)
	o.emit(pprofSample, o.scratch)
}
