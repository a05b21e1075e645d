package html

import (
	"bufio"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"stacksnap/format/internal/interned"
	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// data writes what the page shows as JSON, threads at once and frames once all are
// known. encoding/json writes <, > and & as escapes, so that no text ends the element
// that the document stands in.
type data struct {
	out     *bufio.Writer
	frames  interned.Table[frame]
	images  interned.Table[string]
	remarks interned.Table[remark]
	number  []byte

	shift     time.Duration // from the first process's start to that of the one that is written
	stretches int           // for which there is room
}

// frame is what makes frames the same one.
type frame struct {
	name  string
	image int // its index, -1: none
	mark  bool
}

// remark is what else there is to say of a node.
type remark struct{ text, doubt string }

func newData(out *bufio.Writer) *data {
	d := &data{out: out, frames: interned.New[frame](), images: interned.New[string](), remarks: interned.New[remark](), stretches: maxStretches}
	d.remarks.Of(remark{}) // 0: there is nothing to say
	return d
}

// header is what is told of a process beside its threads.
type header struct {
	Name      string      `json:"name"`
	Summary   string      `json:"summary"`
	Sampled   bool        `json:"sampled"`
	Timed     bool        `json:"timed"`
	CPU       bool        `json:"cpu"`
	Inverted  bool        `json:"inverted"`
	Facts     [][2]string `json:"facts"`
	Deadlocks []deadlock  `json:"deadlocks"`
}

type deadlock struct {
	Stood   string   `json:"stood"`
	Waiters []waiter `json:"waiters"`
}

// waiter is a thread of a deadlock. Process is which of the page's it is of, where the
// deadlock is of several.
type waiter struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Waits   string `json:"waits"`
	Lock    string `json:"lock"`
	Stack   string `json:"stack"` // in a line
	In      string `json:"in"`    // which function
	Process *int   `json:"process,omitempty"`
}

// thread is what is told of a thread beside its tree. Its nodes follow, six numbers
// each: depth, frame, remark, and of the samples in which it was the innermost how many,
// nanoseconds, and nanoseconds on processors.
type thread struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Main    bool     `json:"main"`
	State   string   `json:"state"`
	Facts   []string `json:"facts"`
	Waits   []string `json:"waits"`
	Missing string   `json:"missing"`
}

func (d *data) group(g *profile.Group) {
	d.text(`{"tool":`)
	d.value(words.Printable(g.Tool))
	d.text(`,"title":`)
	d.value(words.GroupTitle(g))
	d.text(`,"summary":`)
	d.value(summary(g))
	d.text(`,"facts":`)
	d.value(pairs(words.GroupFacts(g)))
	if len(g.Deadlocks) > 0 {
		d.text(`,"deadlocks":`)
		d.value(circles(g))
	}
	d.text(`,"processes":[`)
	start := timeline.FirstStart(g)
	for i, p := range g.Profiles {
		d.separate(i)
		d.shift = timeline.Since(start, p)
		d.process(p)
	}
	d.text("\n]")
	d.tables()
	d.text("}\n")
}

func (d *data) process(p *profile.Profile) {
	w := words.NewWords(p)
	d.text("\n{\"header\":")
	d.value(header{
		Name: w.Title(), Summary: words.Headline(p), Sampled: p.Sampled(), Timed: w.Timed(), CPU: w.CPU(),
		Inverted: p.View != nil && p.View.Inverted, Facts: pairs(w.Facts()), Deadlocks: deadlocks(w, p.Deadlocks),
	})
	d.text(",\"threads\":[")
	i := 0
	for t := range w.Threads() {
		d.separate(i)
		d.thread(w, t)
		i++
	}
	d.text("]}")
}

func deadlocks(w *words.Words, of []profile.Deadlock) []deadlock {
	all := []deadlock{}
	for i := range of {
		circle := deadlock{Stood: w.Stood(&of[i])}
		for j := range of[i].Waiters {
			one := &of[i].Waiters[j]
			stack, in := w.Stack(one)
			circle.Waiters = append(circle.Waiters, waiter{threadID(one.ID), w.Waiter(one), w.WaitsFor(one), w.Lock(one), stack, in, nil})
		}
		all = append(all, circle)
	}
	return all
}

// circles are the deadlocks of several processes.
func circles(g *profile.Group) []deadlock {
	all := deadlocks(words.GroupWords(g), g.Deadlocks)
	for i := range all {
		for j := range all[i].Waiters {
			of, one := &g.Deadlocks[i].Waiters[j], &all[i].Waiters[j]
			at := slices.IndexFunc(g.Profiles, func(p *profile.Profile) bool { return p.Target.PID == of.PID })
			if one.Process = &at; at >= 0 {
				one.Stack, one.In = words.NewWords(g.Profiles[at]).Stack(of)
			}
		}
	}
	return all
}

// threadID is text: in JSON's numbers not all are the same afterwards.
func threadID(id task.ThreadID) string { return strconv.FormatUint(uint64(id), 10) }

func (d *data) thread(w *words.Words, t *profile.Thread) {
	d.text("\n{\"about\":")
	d.value(thread{
		ID: threadID(t.ID), Name: w.Thread(t), Main: t.Main, State: state(t).String(),
		Facts: some(w.ThreadFacts(t)), Waits: some(w.Waits(t)), Missing: w.Missing(t),
	})
	d.text(",\"nodes\":[")
	n := 0
	nodes := map[*profile.Node]int{} // where those are that samples end in
	for b := range w.Branches(t) {
		if n > 0 {
			d.text(",")
		}
		if t.Timeline != nil && b.Samples > 0 {
			nodes[b.Ends()] = n
		}
		d.node(w, &b)
		n++
	}
	d.text("]")
	d.timeline(w, t, nodes)
	d.text("}")
}

// state is the one that the thread was in most.
func state(t *profile.Thread) task.State {
	most, at := 0, t.State
	for s, n := range t.States {
		if n > most {
			most, at = n, task.State(s)
		}
	}
	return at
}

func (d *data) node(w *words.Words, b *words.Branch) {
	f, r := 0, 0
	if n := b.Node; n != nil {
		f, r = d.frame(w, n), d.remark(w, n)
	} else {
		f = d.frames.Of(frame{name: b.Mark, image: -1, mark: true})
	}
	d.numbers(int64(b.Depth), int64(f), int64(r), int64(b.Samples), nanoseconds(b.Wall), nanoseconds(b.CPU))
}

// frame is the number of a node's frame, and remark that of what there is to say of it.
func (d *data) frame(w *words.Words, n *profile.Node) int {
	f := frame{name: w.Frame(n), image: -1, mark: n.Folded != nil}
	if image := w.Image(n); image != "" {
		f.image = d.images.Of(image)
	}
	return d.frames.Of(f)
}

func (d *data) remark(w *words.Words, n *profile.Node) int {
	return d.remarks.Of(remark{w.Remark(n), join(w.Doubt(n), w.Cut(n))})
}

// numbers writes a node.
func (d *data) numbers(all ...int64) {
	for i, n := range all {
		if i > 0 {
			d.text(",")
		}
		d.number = strconv.AppendInt(d.number[:0], n, 10)
		_, _ = d.out.Write(d.number)
	}
}

func nanoseconds(t time.Duration) int64 { return max(0, t.Nanoseconds()) }

// join makes one text of two, either of which may be empty.
func join(a, b string) string {
	if a != "" && b != "" {
		return a + ". " + b
	}
	return a + b
}

// tables writes frames, images and remarks.
func (d *data) tables() {
	d.text(",\n\"images\":")
	d.value(some(d.images.All))
	d.text(",\n\"frames\":[")
	for i, f := range d.frames.All {
		d.separate(i)
		d.value([]any{f.name, f.image, f.mark})
	}
	d.text("],\n\"remarks\":[")
	for i, r := range d.remarks.All {
		d.separate(i)
		d.value([]string{r.text, r.doubt})
	}
	d.text("]")
}

func (d *data) text(s string) { _, _ = d.out.WriteString(s) } // the buffer keeps the error for Flush

func (d *data) separate(i int) {
	if i > 0 {
		d.text(",\n")
	}
}

// value writes v as JSON. v must be of a type that json.Marshal cannot fail on.
func (d *data) value(v any) {
	encoded, _ := json.Marshal(v) // of types that cannot fail
	_, _ = d.out.Write(encoded)
}

func pairs(facts []words.Fact) [][2]string {
	all := [][2]string{}
	for _, f := range facts {
		all = append(all, [2]string{f.Name, f.Value})
	}
	return all
}

// some is a list that is not null in JSON.
func some(list []string) []string { return append([]string{}, list...) }
