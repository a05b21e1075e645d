// Package pprof writes and reads profiles in pprof's protocol buffer format.
package pprof

import (
	"bufio"
	"io"
	"time"

	"stacksnap/format/internal/frametable"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
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

// Write writes profiles in pprof's format, uncompressed. Each stack is written once a
// thread. Its values are the number of samples and, for many snapshots, the time that these
// represent: "wall", and "cpu" if the system counted CPU time. Labels have the thread, its
// state if it was the same in all samples, and the process if there are several. A
// truncated stack begins with a frame that says so.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	return NewPprof(w, &r.Group).Write(&r.Group)
}

func (o *pprofWriter) Write(g *profile.Group) error {
	for _, p := range g.Profiles {
		o.process(p)
	}
	o.tables.Finish()
	return o.out.Flush()
}

// pprofWriter writes samples immediately and keeps only the tables that later samples refer
// to.
type pprofWriter struct {
	out        *bufio.Writer
	tables     *frametable.Tables
	head       protobuf.Message
	timed, cpu bool // samples have these values beside their number
	several    bool // there are several processes
	// OnlyNames are the thread names that become labels; other threads share one label, and
	// there are no labels beside. If it is nil, all threads have all labels.
	OnlyNames map[string]bool

	stacks  frametable.Stacks
	values  []uint64
	scratch protobuf.Message
}

func NewPprof(w io.Writer, g *profile.Group) *pprofWriter {
	o := &pprofWriter{out: bufio.NewWriterSize(w, 64<<10), several: len(g.Profiles) > 1}
	o.tables = frametable.New(&pprofTables{emit: o.emit})
	o.stacks.Tables = o.tables
	for _, p := range g.Profiles {
		o.timed = o.timed || words.NewClock(p).Known()
		o.cpu = o.cpu || words.CountsCPU(p)
	}
	o.types()
	o.times(g)
	o.comments(g)
	return o
}

// emit writes a field of the profile. The buffer keeps an error for Flush.
func (o *pprofWriter) emit(field int, m protobuf.Message) {
	o.head = o.head[:0].Length(field, len(m))
	_, _ = o.out.Write(o.head)
	_, _ = o.out.Write(m)
}

func (o *pprofWriter) number(field int, value int64) {
	_, _ = o.out.Write(protobuf.Message(nil).Signed(field, value))
}

// types writes the types and units of a sample's values.
func (o *pprofWriter) types() {
	kind := func(field int, name, unit string) {
		o.emit(field, protobuf.Message(nil).Signed(1, o.tables.String(name)).Signed(2, o.tables.String(unit)))
	}
	kind(pprofSampleType, "samples", "count")
	if o.timed {
		kind(pprofSampleType, "wall", "nanoseconds")
		kind(pprofPeriodType, "wall", "nanoseconds")
	}
	if o.cpu {
		kind(pprofSampleType, "cpu", "nanoseconds")
	}
	first := "samples" // what pprof shows by default
	if o.cpu {
		first = "cpu"
	}
	o.number(pprofDefault, o.tables.String(first))
}

// times writes the start, the duration and the interval.
func (o *pprofWriter) times(g *profile.Group) {
	var first, last time.Time
	var interval time.Duration
	for _, p := range g.Profiles {
		if timeline.Known(p.Start) == nil {
			continue
		}
		if first.IsZero() || p.Start.Before(first) {
			first = p.Start
		}
		if end := p.Start.Add(p.Duration()); end.After(last) {
			last = end
		}
		if words.NewClock(p).Known() {
			interval = max(interval, p.Interval)
		}
	}
	if !first.IsZero() && first.Year() >= frametable.MinNanoYear && first.Year() <= frametable.MaxNanoYear {
		o.number(pprofTime, first.UnixNano())
	}
	o.number(pprofDuration, int64(last.Sub(first)))
	o.number(pprofPeriod, int64(interval))
}

// comments writes the tool, the processes, their headlines and notes.
func (o *pprofWriter) comments(g *profile.Group) {
	comment := func(s string) {
		if s != "" {
			o.number(pprofComment, o.tables.String(s))
		}
	}
	comment(words.Clean(g.Tool, words.MaxText))
	for _, p := range g.Profiles {
		comment(words.ProcessName(p.Target.Name, p.Target.PID))
		comment(words.Headline(p))
		for _, note := range p.Notes[:min(len(p.Notes), words.MaxNotes)] {
			comment(words.Clean(note, words.MaxPath))
		}
	}
	for _, m := range g.Missing[:min(len(g.Missing), words.MaxNotes)] {
		comment("missing: " + words.Clean(m.Why, words.MaxPath))
	}
}

// process writes the stacks of a process.
func (o *pprofWriter) process(p *profile.Profile) {
	o.tables.OS = p.Target.OS
	o.tables.Mapping(p.Main) // the first mapping must be the program's
	var labels protobuf.Message
	if o.several {
		labels = o.label(labels, "process", words.Clean(p.Target.Name, words.MaxText))
		labels = o.numberLabel(labels, "pid", int64(p.Target.PID))
	}
	clock := words.NewClock(p)
	for _, t := range p.Threads {
		labels := o.threadLabels(labels, p, t)
		for s := range clock.Stacks(t) {
			o.sample(&s, labels)
		}
	}
}

// threadLabels adds the labels of a thread's samples.
func (o *pprofWriter) threadLabels(m protobuf.Message, p *profile.Profile, t *profile.Thread) protobuf.Message {
	if o.OnlyNames != nil && !o.OnlyNames[t.Name] {
		return o.label(m, "thread", frametable.OtherThreads)
	}
	if o.OnlyNames != nil {
		return o.label(m, "thread", words.Clean(t.Name, words.MaxText))
	}
	m = o.label(m, "thread", words.Clean(t.Name, words.MaxText))
	if p.Target.OS == task.Darwin {
		m = o.label(m, "thread_id", words.ThreadID(task.Darwin, t.ID))
	} else { // pprof searches decimal numbers only in numeric labels
		m = o.numberLabel(m, "thread_id", int64(t.ID))
	}
	m = o.label(m, "queue", words.Clean(t.Queue, words.MaxText))
	if state, ok := frametable.OnlyState(t); ok {
		m = o.label(m, "state", state.String())
	}
	return m
}

// label adds a text label unless the text is empty.
func (o *pprofWriter) label(m protobuf.Message, key, text string) protobuf.Message {
	if text == "" {
		return m
	}
	return m.Inner(3, protobuf.Message(nil).Signed(1, o.tables.String(key)).Signed(2, o.tables.String(text)))
}

func (o *pprofWriter) numberLabel(m protobuf.Message, key string, n int64) protobuf.Message {
	return m.Inner(3, protobuf.Message(nil).Signed(1, o.tables.String(key)).Signed(3, n))
}

// sample writes one stack.
func (o *pprofWriter) sample(s *words.Weighed, labels protobuf.Message) {
	o.values = append(o.values[:0], uint64(s.Samples))
	if o.timed {
		o.values = append(o.values, uint64(s.Wall))
	}
	if o.cpu {
		o.values = append(o.values, uint64(s.Cpu))
	}
	o.scratch = o.scratch[:0].Packed(1, o.stacks.Of(s)).Packed(2, o.values)
	o.scratch = append(o.scratch, labels...)
	o.emit(pprofSample, o.scratch)
}
