// Package speedscope writes profiles as speedscope opens them.
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

// speedscopeSchema names the form, and tells it to readers that do not look at a
// file's name (speedscope 1.25, file-format-schema.json).
const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// Write writes the profile in speedscope's own form: for each thread an evented
// profile, in the order of time, where it is known when samples were taken. Else it is a
// sampled one, whose stacks weigh as long as they took or, of one snapshot, as many
// samples as they had. Frames are named as in [Write], and a stack that was cut begins with
// one that says so.
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

// speedscopeWriter writes stacks at once, and frames once all are known.
type speedscopeWriter struct {
	jsonstream.Stream
	several bool // processes
	threads int
	frames  interned.Table[speedscopeFrame]

	path    []*profile.Node // of the last stack
	indexes []int           // of the frames of each of its nodes
	weights []int64
}

// speedscopeFrame is what makes frames the same one.
type speedscopeFrame struct{ name, file string }

// process writes a process, which was captured so long after the first.
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

// title begins the profile of a thread.
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

// sampled writes the profile of a thread by the weight of its stacks.
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

// writeFrames writes all frames that were met.
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
