// Package speedscope writes profiles in speedscope's file format.
package speedscope

import (
	"io"
	"time"

	"stacksnap/format/internal/interned"
	"stacksnap/format/internal/jsonstream"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// speedscopeSchema identifies the format, even to readers that ignore the file's name
// (speedscope 1.25, file-format-schema.json).
const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// Write writes profiles in speedscope's format. A thread whose samples have known times
// becomes an evented profile, in the order of time. Any other becomes a sampled profile,
// whose stacks are weighted by time or, for a single snapshot, by samples. Frames are named
// by function. A truncated stack begins with a frame that says so.
func Write(w io.Writer, r *report.Report, _ words.Options) error {
	g := &r.Group
	o := &speedscopeWriter{Stream: jsonstream.New(w), frames: interned.New[speedscopeFrame](), several: len(g.Profiles) > 1}
	o.Text(`{"$schema":"` + speedscopeSchema + `","exporter":`)
	o.Value(words.Clean(g.Tool, words.MaxText))
	o.Text(`,"name":`)
	o.Value(words.GroupName(g))
	o.Text(`,"activeProfileIndex":0,"profiles":[`)
	start := timeline.FirstStart(g)
	for _, p := range g.Profiles {
		o.process(p, timeline.Since(start, p))
	}
	o.Text("\n],\n\"shared\":{\"frames\":[")
	o.writeFrames()
	o.Text("\n]}}\n")
	return o.Out.Flush()
}

// speedscopeWriter writes stacks one by one, and the table of frames at the end.
type speedscopeWriter struct {
	jsonstream.Stream
	several bool // there are several processes
	threads int
	frames  interned.Table[speedscopeFrame]

	path    []*profile.Node // stack last returned
	indexes []int           // frame number of each node in path
	weights []int64
}

// speedscopeFrame is the key of the table of frames.
type speedscopeFrame struct{ name, file string }

// process writes a process that started at shift after the first one.
func (o *speedscopeWriter) process(p *profile.Profile, shift time.Duration) {
	clock := words.NewClock(p)
	for t := range words.ThreadsByFunction(p) {
		o.Separate(o.threads)
		o.threads++
		timed := clock.Known() && t.Timeline != nil
		o.title(p, t, timed)
		if timed {
			o.evented(p, t, shift)
		} else {
			o.sampled(t, clock)
		}
	}
}

// title writes the start of a thread's profile.
func (o *speedscopeWriter) title(p *profile.Profile, t *profile.Thread, timed bool) {
	kind := "sampled"
	if timed {
		kind = "evented"
	}
	o.Text("\n" + `{"type":"` + kind + `","name":`)
	title := words.ThreadLabel(p, t)
	if o.several {
		title = words.ProcessLabel(p) + " " + title
	}
	o.Value(title)
}

// sampled writes a sampled profile: the stacks of a thread with their weights.
func (o *speedscopeWriter) sampled(t *profile.Thread, clock words.Clock) {
	unit := "none"
	if clock.Known() {
		unit = "nanoseconds"
	}
	o.Text(`,"unit":"` + unit + `","startValue":0,"samples":[`)
	o.weights = o.weights[:0]
	for s := range clock.Stacks(t) {
		o.sample(&s)
		weight := int64(s.Samples)
		if clock.Known() {
			weight = s.Wall.Nanoseconds()
		}
		o.weights = append(o.weights, weight)
	}
	o.writeWeights()
}

func (o *speedscopeWriter) writeWeights() {
	o.Text(`],"weights":[`)
	sum := int64(0)
	for i, weight := range o.weights {
		o.Separate(i)
		o.Integer(weight)
		sum += weight
	}
	o.Text(`],"endValue":`)
	o.Integer(sum)
	o.Text("}")
}

// sample writes one stack, the outermost frame first.
func (o *speedscopeWriter) sample(s *words.Weighed) {
	o.Separate(len(o.weights))
	o.Text("[")
	if s.Mark != "" {
		o.Integer(int64(o.frames.Of(speedscopeFrame{name: s.Mark})))
	} else {
		o.stack(s.Path)
	}
	o.Text("]")
}

func (o *speedscopeWriter) stack(path []*profile.Node) {
	same := words.SharedPath(path, o.path)
	o.path, o.indexes = append(o.path[:same], path[same:]...), o.indexes[:same]
	for _, n := range path[same:] {
		o.indexes = append(o.indexes, o.frames.Of(o.frameOf(n)))
	}
	if cut := path[0].Cut; cut != nil {
		o.Integer(int64(o.frames.Of(speedscopeFrame{name: words.CutLabel(cut)})))
		o.Text(",")
	}
	for i, index := range o.indexes {
		o.Separate(i)
		o.Integer(int64(index))
	}
}

func (o *speedscopeWriter) frameOf(n *profile.Node) speedscopeFrame {
	f := speedscopeFrame{name: words.Label(n)}
	if n.Image != nil {
		f.file = words.Clean(n.Image.Path, words.MaxPath)
	}
	return f
}

// writeFrames writes the table of frames.
func (o *speedscopeWriter) writeFrames() {
	for i, f := range o.frames.All {
		o.Separate(i)
		o.Text("\n" + `{"name":`)
		o.Value(f.name)
		if f.file != "" {
			o.Text(`,"file":`)
			o.Value(f.file)
		}
		o.Text("}")
	}
}
