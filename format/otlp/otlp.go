// Package otlp writes profiles as OpenTelemetry's protocol has them.
package otlp

import (
	"bufio"
	"crypto/sha256"
	"hash"
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

// The fields of OpenTelemetry's messages of profiles (github.com/open-telemetry/opentelemetry-proto,
// v1.11.0, profiles/v1development/profiles.proto), which are still in development.
// ProfilesData has the same fields as the request by which it is sent
// (collector/profiles/v1development/profiles_service.proto).
const (
	otlpResourceProfiles = 1 // of ProfilesData
	otlpDictionary       = 2

	otlpResource      = 1 // of ResourceProfiles
	otlpScopeProfiles = 2
	otlpScope         = 1 // of ScopeProfiles
	otlpProfile       = 2

	otlpSampleType = 1 // of Profile
	otlpSample     = 2
	otlpTime       = 3
	otlpDuration   = 4
	otlpPeriodType = 5
	otlpPeriod     = 6
	otlpProfileID  = 7
	otlpAttributes = 11
)

// Write writes profiles as OpenTelemetry's ProfilesData, in its binary form: each process a
// resource, and of it each stack once a thread, in a profile for its samples and, of many
// snapshots, in one for all the time that these represent and one for that on a processor.
// Each sample bears its thread, and the state where that was one.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	out := &otlpWriter{out: bufio.NewWriterSize(w, 64<<10), report: r, said: sha256.New()}
	out.tables = frametable.New(&out.rows)
	out.stacks.Tables = out.tables
	for _, p := range r.Profiles {
		out.process(p)
	}
	out.tables.Finish()
	out.emit(otlpDictionary, out.rows.dictionary())
	return out.out.Flush()
}

// otlpWriter keeps the tables until the end, and of a process at a time its samples:
// their size stands before them.
type otlpWriter struct {
	out     *bufio.Writer
	report  *report.Report
	tables  *frametable.Tables
	rows    otlpTables
	said    hash.Hash
	stacks  frametable.Stacks
	values  [3]otlpValues
	scratch protobuf.Message
}

// otlpValues are the samples of one profile.
type otlpValues struct {
	kind, unit string
	wanted     bool
	samples    protobuf.Message
}

// emit writes a field. The buffer keeps the error for Flush.
func (o *otlpWriter) emit(field int, m protobuf.Message) {
	_, _ = o.out.Write(protobuf.Message(nil).Length(field, len(m)))
	_, _ = o.out.Write(m)
}

// process writes a process, which is a resource.
func (o *otlpWriter) process(p *profile.Profile) {
	o.tables.OS = p.Target.OS
	clock := words.NewClock(p)
	o.values = [3]otlpValues{
		{kind: "samples", unit: "count", wanted: true},
		{kind: "wall", unit: "nanoseconds", wanted: clock.Known()},
		{kind: "cpu", unit: "nanoseconds", wanted: words.CountsCPU(p)},
	}
	for _, t := range p.Threads {
		about := o.threadAttributes(p, t)
		for s := range clock.Stacks(t) {
			o.sample(&s, about)
		}
	}
	resource := resourceOf(p, &o.report.Origin)
	name, version := toolName(o.report.Tool)
	scope := parts{protobuf.Message(nil).Inner(otlpScope, protobuf.Message(nil).Text(1, name).Text(2, version))}
	for i := range o.values {
		if o.values[i].wanted {
			scope = scope.inner(otlpProfile, o.profile(p, &o.values[i], resource))
		}
	}
	whole := parts{protobuf.Message(nil).Inner(otlpResource, resource)}.inner(otlpScopeProfiles, scope)
	for _, part := range (parts{}).inner(otlpResourceProfiles, whole) {
		_, _ = o.out.Write(part)
	}
}

// parts are a message piece by piece: what is large in it is not copied for the length that
// stands before it.
type parts []protobuf.Message

// inner adds a message within this one.
func (p parts) inner(field int, value parts) parts {
	size := 0
	for _, part := range value {
		size += len(part)
	}
	return append(append(p, protobuf.Message(nil).Length(field, size)), value...)
}

// sample adds one stack to each profile that has a value for it.
func (o *otlpWriter) sample(s *words.Weighed, about []uint64) {
	at := o.rows.stack(o.stacks.Of(s))
	for i, value := range [3]int64{int64(s.Samples), int64(s.Wall), int64(s.Cpu)} {
		v := &o.values[i]
		if !v.wanted || value == 0 {
			continue
		}
		o.scratch = o.scratch[:0].Number(1, at).Packed(2, about).Packed(4, []uint64{uint64(value)})
		v.samples = v.samples.Inner(otlpSample, o.scratch)
	}
}

// profile is the message of one kind of value. Its id is made of all that was said up to
// it, rows of the dictionary included, so that one which comes twice can be told.
func (o *otlpWriter) profile(p *profile.Profile, v *otlpValues, resource protobuf.Message) parts {
	all := parts{protobuf.Message(nil).Inner(otlpSampleType, o.valueType(v.kind, v.unit)), v.samples}
	var m protobuf.Message
	if timeline.Known(p.Start) != nil && p.Start.Year() >= frametable.MinNanoYear && p.Start.Year() <= frametable.MaxNanoYear {
		m = m.Fixed64(otlpTime, uint64(p.Start.UnixNano()))
		m = m.Number(otlpDuration, uint64(lasted(p)))
	}
	if words.NewClock(p).Known() {
		m = m.Inner(otlpPeriodType, o.valueType("wall", "nanoseconds"))
		m = m.Signed(otlpPeriod, int64(p.Interval))
	}
	m = m.Packed(otlpAttributes, o.profileAttributes(p))
	o.rows.digest(o.said)
	for _, part := range append(parts{resource}, append(all, m)...) {
		_, _ = o.said.Write(part) // a hash takes all
	}
	return append(all, m.Inner(otlpProfileID, o.said.Sum(nil)[:16]))
}

// lasted is for how long a process was looked at, 0 where that is not known.
func lasted(p *profile.Profile) time.Duration {
	if timeline.Known(p.End) == nil {
		return 0
	}
	return p.Duration()
}

func (o *otlpWriter) valueType(kind, unit string) protobuf.Message {
	return protobuf.Message(nil).Signed(1, o.tables.String(kind)).Signed(2, o.tables.String(unit))
}

// threadAttributes are those of all samples of a thread.
func (o *otlpWriter) threadAttributes(p *profile.Profile, t *profile.Thread) []uint64 {
	var list []uint64
	add := func(key string, value anyValue) {
		if value != nil {
			list = append(list, o.attribute(key, value, ""))
		}
	}
	add("thread.id", intValue(int64(t.ID)))
	add("thread.name", textValue(words.Clean(t.Name, words.MaxText)))
	add("stacksnap.dispatch.queue", textValue(words.Clean(t.Queue, words.MaxText)))
	if state, ok := frametable.OnlyState(t); ok {
		add("stacksnap.thread.state", textValue(state.String()))
	}
	return list
}

func (o *otlpWriter) attribute(key string, value anyValue, unit string) uint64 {
	return o.rows.attribute(o.tables.String(key), value, o.tables.String(unit))
}

// toolName takes "stacksnap 1.0" apart.
func toolName(tool string) (name, version string) {
	tool = words.Clean(tool, words.MaxText)
	for i := len(tool) - 1; i >= 0; i-- {
		if tool[i] == ' ' {
			return tool[:i], tool[i+1:]
		}
	}
	return tool, ""
}

// buildIDKey is the attribute of an image's id: of an ELF file as OpenTelemetry's
// semantic conventions have it, which know none for a Mach-O UUID.
func buildIDKey(os task.OS) string {
	if os == task.Darwin {
		return "stacksnap.image.uuid"
	}
	return "process.executable.build_id.gnu"
}
