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

// data writes the page's data as JSON: threads one by one, and the tables of frames at the
// end. encoding/json escapes <, > and &, so that no text can end the script element around
// the data.
type data struct {
	out     *bufio.Writer
	frames  interned.Table[frame]
	images  interned.Table[string]
	remarks interned.Table[remark]
	number  []byte

	shift     time.Duration // time from the first process's start to the current one's
	stretches int           // number of stretches that still fit
}

// frame is the key of the table of frames.
type frame struct {
	name  string
	image int // index of the image; -1: none
	mark  bool
}

// remark is the text for a node beside its name: a remark, and doubts about it.
type remark struct{ text, doubt string }

func newData(out *bufio.Writer) *data {
	d := &data{out: out, frames: interned.New[frame](), images: interned.New[string](), remarks: interned.New[remark](), stretches: maxStretches}
	d.remarks.Of(remark{}) // number 0: no remark
	return d
}

// header is the data of a process beside its threads.
type header struct {
	Name      string      `json:"name"`
	Summary   string      `json:"summary"`
	Sampled   bool        `json:"sampled"`
	Timed     bool        `json:"timed"`
	CPU       bool        `json:"cpu"`
	Inverted  bool        `json:"inverted"`
	Facts     [][2]string `json:"facts"`
	Deadlocks []deadlock  `json:"deadlocks"`
	Tasks     []tasks     `json:"tasks,omitempty"`
}

// tasks are the tasks of a runtime that no thread runs. Rest has lines about the
// tasks that are left out.
type tasks struct {
	Title   string   `json:"title"`
	Entries []entry  `json:"entries"`
	Rest    []string `json:"rest,omitempty"`
}

// entry is a group of alike tasks with the same frames, outermost first.
type entry struct {
	Title  string   `json:"title"`
	Frames []string `json:"frames"`
}

type deadlock struct {
	Title   string   `json:"title"`
	Stood   string   `json:"stood"`
	Behind  string   `json:"behind,omitempty"` // threads that are stuck because of the deadlock
	Waiters []waiter `json:"waiters"`
}

// waiter is a thread of a deadlock. In a deadlock across processes, Process is the index of
// its process on the page, -1 if it is not there.
type waiter struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Waits   string `json:"waits"`
	Lock    string `json:"lock"`
	Stack   string `json:"stack"` // the stack in one line
	In      string `json:"in"`    // the innermost function
	Process *int   `json:"process,omitempty"`
}

// thread is the data of a thread beside its nodes. These follow as six numbers each: depth,
// frame, remark, and of the samples that end in the node their number, their time and their
// CPU time in nanoseconds.
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
		Inverted: p.View != nil && p.View.Inverted, Facts: pairs(w.Facts()), Deadlocks: deadlocks(w, p.Deadlocks, p), Tasks: tasksOf(w),
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

func tasksOf(w *words.Words) (all []tasks) {
	for _, list := range w.TaskLists() {
		of := tasks{Title: list.Title, Entries: []entry{}, Rest: list.Rest}
		for _, t := range list.Tasks {
			of.Entries = append(of.Entries, entry{w.Task(t), some(w.TaskFrames(t))})
		}
		all = append(all, of)
	}
	return all
}

func deadlocks(w *words.Words, of []profile.Deadlock, in ...*profile.Profile) []deadlock {
	all := []deadlock{}
	for i := range of {
		circle := deadlock{Title: words.CircleTitle(&of[i]), Stood: w.Stood(&of[i]), Behind: w.Behind(&of[i], in)}
		for j := range of[i].Waiters {
			one := &of[i].Waiters[j]
			stack, in := w.Stack(one)
			circle.Waiters = append(circle.Waiters, waiter{threadID(one.ID), w.Waiter(one), w.WaitsFor(one), w.Lock(one), stack, in, nil})
		}
		all = append(all, circle)
	}
	return all
}

// circles returns the deadlocks across processes.
func circles(g *profile.Group) []deadlock {
	all := deadlocks(words.GroupWords(g), g.Deadlocks, g.Profiles...)
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

// threadID returns an id as text, as JSON numbers lose bits in JavaScript.
func threadID(id task.ThreadID) string { return strconv.FormatUint(uint64(id), 10) }

func (d *data) thread(w *words.Words, t *profile.Thread) {
	d.text("\n{\"about\":")
	d.value(thread{
		ID: threadID(t.ID), Name: w.Thread(t), Main: t.Main, State: state(t).String(),
		Facts: some(w.ThreadFacts(t)), Waits: some(w.Waits(t)), Missing: w.Missing(t),
	})
	d.text(",\"nodes\":[")
	n := 0
	nodes := map[*profile.Node]int{} // index of each node that samples end in
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

// state returns the state in which most samples found the thread.
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

// frame returns the number of a node's frame, and remark that of its remark.
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

// numbers writes numbers, separated by commas.
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

// join joins two texts, either of which may be empty.
func join(a, b string) string {
	if a != "" && b != "" {
		return a + ". " + b
	}
	return a + b
}

// tables writes the images, frames and remarks.
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

// some returns a copy of the list that is not nil, and so not null in JSON.
func some(list []string) []string { return append([]string{}, list...) }
