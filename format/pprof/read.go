package pprof

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"stacksnap/format/internal/frametable"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/task/unpack"
)

// The bounds of a pprof profile that [Read] accepts.
const (
	maxPprofCounted = 1 << 50  // samples, and nanoseconds
	maxPprof        = 1 << 30  // bytes, uncompressed
	maxPprofKept    = 96 << 20 // bytes kept in memory
	maxPprofField   = 4 << 20  // bytes of one sample, location or string
	maxPprofNodes   = 3 << 17
	maxPprofFrames  = 1 << 25 // most frames in all samples together
)

// ErrNotPprof is returned for a file that is no pprof profile.
var ErrNotPprof = errors.New("not a profile of pprof")

// errPprofSize is returned for a profile that exceeds the bounds.
var errPprofSize = errors.New("the profile is too large")

// Read reads an uncompressed pprof profile for a comparison: its samples and CPU time, by
// thread if it has the labels that [Write] writes. pprof does not record the number of
// snapshots, so Snapshots is 0, except for a single snapshot of ours. The error wraps
// [ErrNotPprof] if the input is something else.
func Read(r io.Reader) (*profile.Profile, error) {
	return readPprof(r, maxPprofNodes, maxPprofFrames)
}

func readPprof(r io.Reader, maxNodes, maxFrames int) (*profile.Profile, error) {
	in := pprofReader{
		functions: map[uint64]frametable.Function{}, locations: map[uint64]pprofFrames{}, images: map[uint64]*profile.Image{},
		threads: map[pprofThread]*profile.Thread{}, roots: map[pprofRoot]*profile.Node{}, nodes: map[pprofEdge]*profile.Node{}, p: &profile.Profile{},
		maxNodes: maxNodes, maxFrames: maxFrames,
	}
	if err := in.tables(r); err != nil {
		return nil, err
	}
	if err := in.types(); err != nil {
		return nil, err
	}
	for _, m := range in.samples { // all that they refer to is known by now
		if err := in.sample(m); err != nil {
			return nil, err
		}
	}
	return in.profile(), nil
}

// pprofReader is a profile while it is being read.
type pprofReader struct {
	p         *profile.Profile
	strings   []string
	typeList  [][2]uint64 // type and unit of each value
	functions map[uint64]frametable.Function
	locations map[uint64]pprofFrames
	images    map[uint64]*profile.Image
	mapped    [][]byte // mappings, in order
	samples   [][]byte
	comments  []uint64
	period    uint64
	duration  time.Duration

	count, cpu int // indexes of these values; negative: none
	pid        *uint64
	threads    map[pprofThread]*profile.Thread
	roots      map[pprofRoot]*profile.Node
	nodes      map[pprofEdge]*profile.Node
	frames     int
	maxNodes   int
	maxFrames  int
	sum        int64
	kept       int // bytes kept so far
}

// pprofFrames is a location. Its lines have inlined functions first.
type pprofFrames struct {
	mapping, address uint64
	lines            [][2]uint64 // function and line
}

// pprofThread is a thread according to labels.
type pprofThread struct {
	id          uint64
	name, queue string
}

// pprofRoot is the key of an outermost frame of a thread.
type pprofRoot struct {
	thread *profile.Thread
	cut    string
	edge   pprofEdge
}

// pprofEdge is the key of a frame below another one.
type pprofEdge struct {
	parent   *profile.Node
	location uint64
	line     int
}

// tables reads everything but the samples, which may precede the tables that they refer to.
func (in *pprofReader) tables(r io.Reader) error {
	err := protobuf.Stream(io.LimitReader(r, maxPprof), in.wants, in.table)
	switch {
	case errors.Is(err, errPprofSize) || errors.Is(err, unpack.ErrBomb):
		return err
	case err != nil && !errors.Is(err, protobuf.ErrFields):
		return fmt.Errorf("read the profile: %w", err)
	case err != nil || len(in.strings) == 0 || in.strings[0] != "" || len(in.typeList) == 0:
		return ErrNotPprof
	}
	return in.mappings()
}

// pprofOverhead is about the memory, in bytes, that a kept field takes besides its content.
const pprofOverhead = 64

// wants reports whether to keep the content of a field, size bytes long. It returns an
// error if that exceeds the bounds.
func (in *pprofReader) wants(number int, size uint64) (bool, error) {
	switch number {
	case pprofSample, pprofMapping, pprofString, pprofFunctions, pprofLocation, pprofSampleType, pprofComment:
	default:
		return false, nil
	}
	if size > maxPprofField {
		return false, errPprofSize
	}
	if number == pprofLocation || number == pprofComment {
		in.kept += 8 * int(size) // a line is two bytes at least in the file, and sixteen in memory
	}
	if in.kept += int(size) + pprofOverhead; in.kept > maxPprofKept {
		return false, errPprofSize
	}
	return true, nil
}

// table stores a field.
func (in *pprofReader) table(f protobuf.Field) (err error) {
	switch f.Number {
	case pprofSample:
		in.samples = append(in.samples, f.Bytes)
	case pprofMapping:
		in.mapped = append(in.mapped, f.Bytes)
	case pprofString:
		in.strings = append(in.strings, string(f.Bytes))
	case pprofFunctions:
		return in.function(f.Bytes)
	case pprofLocation:
		return in.location(f.Bytes)
	case pprofSampleType:
		if len(in.typeList) == words.MaxNotes {
			return errPprofSize
		}
		var v [3]uint64
		err = protobuf.Numbers(f.Bytes, v[:])
		in.typeList = append(in.typeList, [2]uint64{v[1], v[2]})
	case pprofTime:
		in.p.Start = time.Unix(0, int64(f.Value))
	case pprofDuration:
		in.duration = max(0, time.Duration(f.Value))
	case pprofPeriod:
		in.period = f.Value
	case pprofComment:
		if len(in.comments) == 0 { // only the first is read
			in.comments, err = f.Numbers(in.comments)
		}
	}
	return err
}

func (in *pprofReader) text(number uint64) string {
	if number >= uint64(len(in.strings)) {
		return ""
	}
	return in.strings[number]
}

func (in *pprofReader) function(m []byte) error {
	var v [5]uint64
	err := protobuf.Numbers(m, v[:])
	in.functions[v[1]] = frametable.Function{Name: int64(v[2]), Raw: int64(v[3]), File: int64(v[4])}
	return err
}

func (in *pprofReader) location(m []byte) error {
	var v [4]uint64
	if err := protobuf.Numbers(m, v[:]); err != nil {
		return err
	}
	l := pprofFrames{mapping: v[2], address: v[3]}
	err := protobuf.Each(m, func(f protobuf.Field) error {
		if f.Number != 4 || !f.IsText {
			return nil
		}
		var line [3]uint64
		err := protobuf.Numbers(f.Bytes, line[:])
		l.lines = append(l.lines, [2]uint64{line[1], line[2]})
		return err
	})
	in.locations[v[1]] = l
	return err
}

// mappings makes images of the mappings. The first one is the program's (profile.proto).
func (in *pprofReader) mappings() error {
	for i, m := range in.mapped {
		var v [7]uint64
		if err := protobuf.Numbers(m, v[:]); err != nil {
			return ErrNotPprof
		}
		im := &profile.Image{Path: in.text(v[5]), Load: task.Addr(v[2]), End: task.Addr(v[3]), Main: i == 0}
		im.Generated = im.Load == 0 && im.End == 0 && i > 0
		in.images[v[1]] = im
		in.p.Images = append(in.p.Images, im)
	}
	return nil
}

// types finds the values that can be compared.
func (in *pprofReader) types() error {
	in.count, in.cpu = -1, -1
	var names []string
	for i, t := range in.typeList {
		kind := in.text(t[0]) + "/" + in.text(t[1])
		names = append(names, words.Elide(kind, words.MaxText))
		switch kind {
		case "samples/count":
			in.count = i
		case "cpu/nanoseconds":
			in.cpu = i
		}
	}
	if in.count < 0 {
		return fmt.Errorf("the profile has no samples to compare, but %s", strings.Join(names[:min(len(names), words.MaxNotes)], ", "))
	}
	return nil
}

// profile returns the profile after everything was read.
func (in *pprofReader) profile() *profile.Profile {
	p := in.p
	p.End = p.Start.Add(in.duration)
	if len(p.Images) > 0 {
		p.Main = p.Images[0]
		p.Target.Path, p.Target.Name = p.Main.Path, p.Main.Name()
	}
	if in.pid != nil && *in.pid < 1<<31 {
		p.Target.PID = int(*in.pid)
	}
	if len(in.comments) > 0 && strings.HasPrefix(in.text(in.comments[0]), "stacksnap ") {
		p.Tool = in.text(in.comments[0])
		if in.period == 0 && len(in.typeList) == 1 {
			p.Snapshots = 1 // as [Write] writes a single snapshot
		}
	}
	return p
}
