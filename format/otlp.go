package format

import (
	"bufio"
	"crypto/sha256"
	"hash"
	"io"
	"time"

	"stacksnap/format/profile"
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

// OTLP writes the profile as OpenTelemetry's ProfilesData, in its binary form: each stack
// once a thread, in a profile for its samples and, of many snapshots, in one for all the
// time that these stand for and one for that on a processor, as [Pprof] has them. Each
// sample bears its thread, and the state where that was one.
func OTLP(o Options) Writer {
	return func(w io.Writer, p *profile.Profile) error { return GroupOTLP(o)(w, profile.GroupOf(p)) }
}

// GroupOTLP is [OTLP] of several processes in one, a resource each.
func GroupOTLP(o Options) GroupWriter {
	return func(w io.Writer, g *profile.Group) error {
		out := &otlpWriter{out: bufio.NewWriterSize(w, 64<<10), origin: o.Origin, said: sha256.New()}
		out.tables = newFrameTables(&out.rows)
		out.stacks.tables = out.tables
		for _, p := range g.Profiles {
			out.process(p, g.Tool)
		}
		out.tables.finish()
		out.emit(otlpDictionary, out.rows.dictionary())
		return out.out.Flush()
	}
}

// otlpWriter keeps the tables until the end, and of a process at a time its samples:
// their size stands before them.
type otlpWriter struct {
	out     *bufio.Writer
	origin  Origin
	tables  *frameTables
	rows    otlpTables
	said    hash.Hash
	stacks  stackPlaces
	values  [3]otlpValues
	scratch message
}

// otlpValues are the samples of one profile.
type otlpValues struct {
	kind, unit string
	wanted     bool
	samples    message
}

// emit writes a field. The buffer keeps the error for Flush.
func (o *otlpWriter) emit(field int, m message) {
	_, _ = o.out.Write(message(nil).length(field, len(m)))
	_, _ = o.out.Write(m)
}

// process writes a process, which is a resource.
func (o *otlpWriter) process(p *profile.Profile, tool string) {
	o.tables.os = p.Target.OS
	clock := newClock(p)
	o.values = [3]otlpValues{
		{kind: "samples", unit: "count", wanted: true},
		{kind: "wall", unit: "nanoseconds", wanted: clock.known()},
		{kind: "cpu", unit: "nanoseconds", wanted: countsCPU(p)},
	}
	for _, t := range p.Threads {
		about := o.threadAttributes(p, t)
		for s := range clock.stacks(t) {
			o.sample(&s, about)
		}
	}
	resource := resourceOf(p, &o.origin)
	name, version := toolName(tool)
	scope := parts{message(nil).inner(otlpScope, message(nil).text(1, name).text(2, version))}
	for i := range o.values {
		if o.values[i].wanted {
			scope = scope.inner(otlpProfile, o.profile(p, &o.values[i], resource))
		}
	}
	whole := parts{message(nil).inner(otlpResource, resource)}.inner(otlpScopeProfiles, scope)
	for _, part := range (parts{}).inner(otlpResourceProfiles, whole) {
		_, _ = o.out.Write(part)
	}
}

// parts are a message piece by piece: what is large in it is not copied for the length that
// stands before it.
type parts []message

// inner adds a message within this one.
func (p parts) inner(field int, value parts) parts {
	size := 0
	for _, part := range value {
		size += len(part)
	}
	return append(append(p, message(nil).length(field, size)), value...)
}

// sample adds one stack to each profile that has a value for it.
func (o *otlpWriter) sample(s *weighed, about []uint64) {
	at := o.rows.stack(o.stacks.of(s))
	for i, value := range [3]int64{int64(s.samples), int64(s.wall), int64(s.cpu)} {
		v := &o.values[i]
		if !v.wanted || value == 0 {
			continue
		}
		o.scratch = o.scratch[:0].number(1, at).packed(2, about).packed(4, []uint64{uint64(value)})
		v.samples = v.samples.inner(otlpSample, o.scratch)
	}
}

// profile is the message of one kind of value. Its id is made of all that was said up to
// it, rows of the dictionary included, so that one which comes twice can be told.
func (o *otlpWriter) profile(p *profile.Profile, v *otlpValues, resource message) parts {
	all := parts{message(nil).inner(otlpSampleType, o.valueType(v.kind, v.unit)), v.samples}
	var m message
	if knownTime(p.Start) != nil && p.Start.Year() >= minNanoYear && p.Start.Year() <= maxNanoYear {
		m = m.fixed64(otlpTime, uint64(p.Start.UnixNano()))
		m = m.number(otlpDuration, uint64(lasted(p)))
	}
	if newClock(p).known() {
		m = m.inner(otlpPeriodType, o.valueType("wall", "nanoseconds"))
		m = m.signed(otlpPeriod, int64(p.Interval))
	}
	m = m.packed(otlpAttributes, o.profileAttributes(p))
	o.rows.digest(o.said)
	for _, part := range append(parts{resource}, append(all, m)...) {
		_, _ = o.said.Write(part) // a hash takes all
	}
	return append(all, m.inner(otlpProfileID, o.said.Sum(nil)[:16]))
}

// lasted is for how long a process was looked at, 0 where that is not known.
func lasted(p *profile.Profile) time.Duration {
	if knownTime(p.End) == nil {
		return 0
	}
	return p.Duration()
}

func (o *otlpWriter) valueType(kind, unit string) message {
	return message(nil).signed(1, o.tables.string(kind)).signed(2, o.tables.string(unit))
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
	add("thread.name", textValue(clean(t.Name, maxText)))
	add("stacksnap.dispatch.queue", textValue(clean(t.Queue, maxText)))
	if state, ok := onlyState(t); ok {
		add("stacksnap.thread.state", textValue(state.String()))
	}
	return list
}

func (o *otlpWriter) attribute(key string, value anyValue, unit string) uint64 {
	return o.rows.attribute(o.tables.string(key), value, o.tables.string(unit))
}

// toolName takes "stacksnap 1.0" apart.
func toolName(tool string) (name, version string) {
	tool = clean(tool, maxText)
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
