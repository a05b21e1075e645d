package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
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
func Speedscope(w io.Writer, p *profile.Profile) error { return GroupSpeedscope(w, groupOf(p)) }

// GroupSpeedscope is [Speedscope] of several processes in one.
func GroupSpeedscope(w io.Writer, g *profile.Group) error {
	o := &speedscopeWriter{out: bufio.NewWriterSize(w, 64<<10), frames: NewInterned[speedscopeFrame](), several: len(g.Profiles) > 1}
	o.text(`{"$schema":"` + speedscopeSchema + `","exporter":`)
	o.string(clean(g.Tool, maxText))
	o.text(`,"name":`)
	o.string(groupName(g))
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

func processLabel(p *profile.Profile) string { return process(p.Target.Name, p.Target.PID) }

// speedscopeWriter writes stacks at once, and frames once all are known.
type speedscopeWriter struct {
	out     *bufio.Writer
	several bool // processes
	threads int
	frames  Interned[speedscopeFrame]

	path    []*profile.Node // of the last stack
	indexes []int           // of the frames of each of its nodes
	number  []byte
	weights []int64
}

// speedscopeFrame is what makes frames the same one.
type speedscopeFrame struct{ name, file string }

func (o *speedscopeWriter) text(s string) { _, _ = o.out.WriteString(s) } // the buffer keeps the error for Flush

// string writes any text as JSON.
func (o *speedscopeWriter) string(s string) {
	quoted, _ := json.Marshal(s) // of a string that cannot fail
	_, _ = o.out.Write(quoted)
}

func (o *speedscopeWriter) integer(n int64) {
	o.number = strconv.AppendInt(o.number[:0], n, 10)
	_, _ = o.out.Write(o.number)
}

// process writes a process, which was captured so long after the first.
func (o *speedscopeWriter) process(p *profile.Profile, shift time.Duration) {
	clock := newClock(p)
	for t := range threadsByFunction(p) {
		if o.threads > 0 {
			o.text(",")
		}
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
	o.string(title)
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
		if i > 0 {
			o.text(",")
		}
		o.integer(weight)
		sum += weight
	}
	o.text(`],"endValue":`)
	o.integer(sum)
	o.text("}")
}

// sample writes one stack, the outermost frame first.
func (o *speedscopeWriter) sample(s *weighed) {
	if len(o.weights) > 0 {
		o.text(",")
	}
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
		if i > 0 {
			o.text(",")
		}
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
		if i > 0 {
			o.text(",")
		}
		o.text("\n" + `{"name":`)
		o.string(f.name)
		if f.file != "" {
			o.text(`,"file":`)
			o.string(f.file)
		}
		o.text("}")
	}
}
