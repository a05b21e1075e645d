// Package otlp writes profiles in OpenTelemetry's protocol.
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

// The fields of OpenTelemetry's messages for profiles (github.com/open-telemetry/opentelemetry-proto,
// v1.11.0, profiles/v1development/profiles.proto), which are still in development.
// ProfilesData has the same fields as the request that sends it
// (collector/profiles/v1development/profiles_service.proto).
const (
	otlpResourceProfiles = 1 // field of ProfilesData
	otlpDictionary       = 2

	otlpResource      = 1 // field of ResourceProfiles
	otlpScopeProfiles = 2
	otlpScope         = 1 // field of ScopeProfiles
	otlpProfile       = 2

	otlpSampleType = 1 // field of Profile
	otlpSample     = 2
	otlpTime       = 3
	otlpDuration   = 4
	otlpPeriodType = 5
	otlpPeriod     = 6
	otlpProfileID  = 7
	otlpAttributes = 11
)

// Write writes profiles as OpenTelemetry's ProfilesData, in binary. Each process is a
// resource with a profile of samples and, for many snapshots, one of wall time and one of
// CPU time. Each stack is written once a thread. A sample has its thread as an attribute,
// and its state if that was the same in all of the thread's samples.
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

// otlpWriter keeps the tables until the end, and the samples of one process at a time,
// since their length comes before them.
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

// emit writes a field. The buffer keeps an error for Flush.
func (o *otlpWriter) emit(field int, m protobuf.Message) {
	_, _ = o.out.Write(protobuf.Message(nil).Length(field, len(m)))
	_, _ = o.out.Write(m)
}

// process writes a process as a resource.
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

// parts is a message in pieces, so that large ones need no copy to put their length before
// them.
type parts []protobuf.Message

// inner appends an embedded message.
func (p parts) inner(field int, value parts) parts {
	size := 0
	for _, part := range value {
		size += len(part)
	}
	return append(append(p, protobuf.Message(nil).Length(field, size)), value...)
}

// sample adds one stack to each profile in which its value is not 0.
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

// profile returns the profile for one kind of value. Its id is a hash of everything written
// up to it, rows of the dictionary included, so that a receiver can recognise a profile
// that is sent twice.
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
		_, _ = o.said.Write(part) // a hash never fails
	}
	return append(all, m.Inner(otlpProfileID, o.said.Sum(nil)[:16]))
}

// lasted returns the duration of the capture, 0 if unknown.
func lasted(p *profile.Profile) time.Duration {
	if timeline.Known(p.End) == nil {
		return 0
	}
	return p.Duration()
}

func (o *otlpWriter) valueType(kind, unit string) protobuf.Message {
	return protobuf.Message(nil).Signed(1, o.tables.String(kind)).Signed(2, o.tables.String(unit))
}

// threadAttributes returns the attributes of a thread's samples, as numbers in the
// dictionary.
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

// toolName splits "stacksnap 1.0" into name and version.
func toolName(tool string) (name, version string) {
	tool = words.Clean(tool, words.MaxText)
	for i := len(tool) - 1; i >= 0; i-- {
		if tool[i] == ' ' {
			return tool[:i], tool[i+1:]
		}
	}
	return tool, ""
}

// buildIDKey returns the attribute key for an image's id. OpenTelemetry's semantic
// conventions have one for ELF build-ids and none for Mach-O UUIDs.
func buildIDKey(os task.OS) string {
	if os == task.Darwin {
		return "stacksnap.image.uuid"
	}
	return "process.executable.build_id.gnu"
}
