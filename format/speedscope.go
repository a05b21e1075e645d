package format

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"stacksnap/format/profile"
)

// speedscopeSchema names the form, and tells it to readers that do not look at a
// file's name (speedscope 1.25, file-format-schema.json).
const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// Speedscope writes the profile in speedscope's own form: for each thread an evented
// profile, in the order of time, where it is known when samples were taken. Else it is a
// sampled one, whose stacks weigh as long as they took or, of one snapshot, as many
// samples as they had. Frames are named as in [Folded], and a stack that was cut begins with
// one that says so.
func Speedscope(w io.Writer, p *profile.Profile) error { return GroupSpeedscope(w, profile.GroupOf(p)) }

// GroupSpeedscope is [Speedscope] of several processes in one.
func GroupSpeedscope(w io.Writer, g *profile.Group) error {
	o := &speedscopeWriter{jsonStream: newJSONStream(w), frames: NewInterned[speedscopeFrame](), several: len(g.Profiles) > 1}
	o.text(`{"$schema":"` + speedscopeSchema + `","exporter":`)
	o.value(clean(g.Tool, maxText))
	o.text(`,"name":`)
	o.value(groupName(g))
	o.text(`,"activeProfileIndex":0,"profiles":[`)
	start := FirstStart(g)
	for _, p := range g.Profiles {
		o.process(p, Since(start, p))
	}
	o.text("\n],\n\"shared\":{\"frames\":[")
	o.writeFrames()
	o.text("\n]}}\n")
	return o.out.Flush()
}

// groupName names the processes in a line.
func groupName(g *profile.Group) string {
	switch len(g.Profiles) {
	case 0:
		return ""
	case 1:
		return processLabel(g.Profiles[0])
	}
	return processLabel(g.Profiles[0]) + fmt.Sprintf(" and %d more", len(g.Profiles)-1)
}

func processLabel(p *profile.Profile) string {
	name := clean(cmp.Or(p.Target.Name, "???"), maxText)
	if p.Target.PID == 0 {
		return name
	}
	return fmt.Sprintf("%s [%d]", name, p.Target.PID)
}

// speedscopeWriter writes stacks at once, and frames once all are known.
type speedscopeWriter struct {
	jsonStream
	several bool // processes
	threads int
	frames  Interned[speedscopeFrame]

	path    []*profile.Node // of the last stack
	indexes []int           // of the frames of each of its nodes
	weights []int64
}

// speedscopeFrame is what makes frames the same one.
type speedscopeFrame struct{ name, file string }

// process writes a process, which was captured so long after the first.
func (o *speedscopeWriter) process(p *profile.Profile, shift time.Duration) {
	clock := newClock(p)
	for t := range threadsByFunction(p) {
		o.separate(o.threads)
		o.threads++
		timed := clock.known() && t.Timeline != nil
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
	o.text("\n" + `{"type":"` + kind + `","name":`)
	title := threadLabel(p, t)
	if o.several {
		title = processLabel(p) + " " + title
	}
	o.value(title)
}

// sampled writes the profile of a thread by the weight of its stacks.
func (o *speedscopeWriter) sampled(t *profile.Thread, clock clock) {
	unit := "none"
	if clock.known() {
		unit = "nanoseconds"
	}
	o.text(`,"unit":"` + unit + `","startValue":0,"samples":[`)
	o.weights = o.weights[:0]
	for s := range clock.stacks(t) {
		o.sample(&s)
		weight := int64(s.samples)
		if clock.known() {
			weight = s.wall.Nanoseconds()
		}
		o.weights = append(o.weights, weight)
	}
	o.writeWeights()
}

func (o *speedscopeWriter) writeWeights() {
	o.text(`],"weights":[`)
	sum := int64(0)
	for i, weight := range o.weights {
		o.separate(i)
		o.integer(weight)
		sum += weight
	}
	o.text(`],"endValue":`)
	o.integer(sum)
	o.text("}")
}

// sample writes one stack, the outermost frame first.
func (o *speedscopeWriter) sample(s *weighed) {
	o.separate(len(o.weights))
	o.text("[")
	if s.mark != "" {
		o.integer(int64(o.frames.Of(speedscopeFrame{name: s.mark})))
	} else {
		o.stack(s.path)
	}
	o.text("]")
}

func (o *speedscopeWriter) stack(path []*profile.Node) {
	same := shared(path, o.path)
	o.path, o.indexes = append(o.path[:same], path[same:]...), o.indexes[:same]
	for _, n := range path[same:] {
		o.indexes = append(o.indexes, o.frames.Of(o.frameOf(n)))
	}
	if cut := path[0].Cut; cut != nil {
		o.integer(int64(o.frames.Of(speedscopeFrame{name: cutLabel(cut)})))
		o.text(",")
	}
	for i, index := range o.indexes {
		o.separate(i)
		o.integer(int64(index))
	}
}

func (o *speedscopeWriter) frameOf(n *profile.Node) speedscopeFrame {
	f := speedscopeFrame{name: label(n)}
	if n.Image != nil {
		f.file = clean(n.Image.Path, maxPath)
	}
	return f
}

// writeFrames writes all frames that were met.
func (o *speedscopeWriter) writeFrames() {
	for i, f := range o.frames.All {
		o.separate(i)
		o.text("\n" + `{"name":`)
		o.value(f.name)
		if f.file != "" {
			o.text(`,"file":`)
			o.value(f.file)
		}
		o.text("}")
	}
}
