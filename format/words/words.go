// Package words has the sentences, names and numbers that reports for people share: texts,
// the page of -f html, the live view and Apple's reports. Its results are safe in a line of
// a terminal, whatever names the target has.
package words

import (
	"io"
	"iter"
	"strings"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
)

// Words returns the parts of a report for people, for formats with their own layout. All
// parts are plain text, safe in a line and of bounded length, except the names of
// functions.
type Words struct {
	p     Printer
	clock Clock
}

// NewWords returns the words for p.
func NewWords(p *profile.Profile) *Words {
	return &Words{*NewPrinter(io.Discard, p, Options{}), NewClock(p)}
}

// GroupWords returns the [Words] of a report on several processes.
func GroupWords(g *profile.Group) *Words { return NewWords(AboutGroup(g)) }

// Fact is a line of a report's header.
type Fact struct{ Name, Value string }

// Facts returns the header of a report: the target, the capture, the view, and notes.
func (w *Words) Facts() (facts []Fact) {
	p := w.p
	p.facts = &facts
	p.Target()
	p.Capture()
	p.View()
	p.Notes()
	return facts
}

// GroupFacts returns the header of a group's report; none for a single process.
func GroupFacts(g *profile.Group) (facts []Fact) {
	if len(g.Profiles) == 1 && len(g.Missing) == 0 && g.More == 0 {
		return nil
	}
	p := NewPrinter(io.Discard, AboutGroup(g), Options{})
	p.facts = &facts
	p.GroupHeader(g, EachOnce(g, Options{}))
	return facts
}

// Title names the process.
func (w *Words) Title() string { return ProcessLabel(w.p.Profile) }

// GroupTitle names the processes of a group in one line.
func GroupTitle(g *profile.Group) string { return GroupName(g) }

// Timed reports whether samples represent time.
func (w *Words) Timed() bool { return w.clock.Known() }

// CPU reports whether the system measured CPU time.
func (w *Words) CPU() bool { return CountsCPU(w.p.Profile) }

// Threads iterates over the threads with their trees by function. It makes the trees one by
// one, as they are not needed at once.
func (w *Words) Threads() iter.Seq[*profile.Thread] { return ThreadsByFunction(w.p.Profile) }

// Thread names a thread.
func (w *Words) Thread(t *profile.Thread) string { return ThreadTitle(w.p.Profile, t) }

// ThreadFacts returns the known facts on a thread beside its name. The first is its state
// or, for many samples, the number in each state.
func (w *Words) ThreadFacts(t *profile.Thread) (facts []string) {
	p := w.of(t)
	for _, fact := range []string{p.States(t), DispatchQueue(t), p.Samples(t), p.Spent(t), Priority(t), p.Cpu(t)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	return facts
}

// TaskLists returns the tasks that no thread runs, by runtime.
func (w *Words) TaskLists() []TaskList { return w.p.TaskLists() }

// Task describes an entry of alike tasks in one line.
func (w *Words) Task(t *profile.Task) string { return w.p.TaskTitle(t) }

// TaskFrames returns the frames of a task, each in one line, the outermost first.
func (w *Words) TaskFrames(t *profile.Task) (lines []string) {
	for _, n := range TaskStack(t.Path) {
		if n.Cut != nil {
			lines = append(lines, CutLabel(n.Cut))
		}
		lines = append(lines, w.p.taskFrame(n))
	}
	return lines
}

// Waits returns the lines on the usual waits of a thread.
func (w *Words) Waits(t *profile.Thread) []string { return w.p.Waits(t) }

// Missing describes what is missing of a thread, and why; empty if nothing is.
func (w *Words) Missing(t *profile.Thread) string { return w.of(t).Missing(t) }

// of returns a printer for a thread. It prints counts if there are many samples.
func (w *Words) of(t *profile.Thread) *Printer {
	p := w.p
	if p.Profile.Sampled() || t.Together != nil {
		p.Total = t.Samples
	}
	return &p
}

// Branch is a node of a thread's tree, or a mark for missing frames.
type Branch struct {
	Depth     int
	Node      *profile.Node // nil: no frame; Mark names what is missing
	Mark      string
	Samples   int // samples in which it was innermost, in all threads of the entry
	Wall, CPU time.Duration

	above *profile.Node // node whose samples a mark has
}

// Ends returns the node in which the branch's samples end, nil if they have no frame.
func (b *Branch) Ends() *profile.Node {
	if b.above != nil {
		return b.above
	}
	return b.Node
}

// Branches iterates over the branches of a tree, each before its children. Outermost frames
// with missing callers have a mark above them, or below in an inverted tree. Samples and
// time without any frame come last.
func (w *Words) Branches(t *profile.Thread) iter.Seq[Branch] {
	return func(yield func(Branch) bool) {
		rest, below := t.Spent, 0
		for depth, n := range t.Nodes() {
			if depth == 0 {
				below = 0
			}
			rest = left(rest, n.Spent)
			self := w.clock.timed(t, n.Self, n.Spent, Weighed{})
			b := Branch{Depth: depth + below, Node: n, Samples: self.Samples, Wall: self.Wall, CPU: self.Cpu}
			if n.Cut == nil {
				if !yield(b) {
					return
				}
				continue
			}
			if !w.cut(b, yield) {
				return
			}
			if !w.p.IsInverted() {
				below = 1
			}
		}
		if s, ok := w.clock.rest(t, rest); ok {
			yield(Branch{Mark: s.Mark, Samples: s.Samples, Wall: s.Wall, CPU: s.Cpu})
		}
	}
}

// cut yields an outermost frame whose callers are missing, and the mark for these.
func (w *Words) cut(b Branch, yield func(Branch) bool) bool {
	mark := Branch{Depth: b.Depth, Mark: CutLabel(b.Node.Cut)}
	if !w.p.IsInverted() {
		b.Depth++
		return yield(mark) && yield(b)
	}
	mark.Depth++
	mark.above = b.Node
	mark.Samples, mark.Wall, mark.CPU = b.Samples, b.Wall, b.CPU
	b.Samples, b.Wall, b.CPU = 0, 0, 0
	return yield(b) && yield(mark)
}

// Frame returns the name of a function or, without a symbol, image and offset.
func (w *Words) Frame(n *profile.Node) string {
	if n.Folded != nil {
		return FoldedText(n.Folded)
	}
	return strings.TrimSuffix(Label(n), guessMark)
}

// Image returns the path of the file that contains a frame; empty if there is none.
func (w *Words) Image(n *profile.Node) string {
	if n.Image == nil {
		return ""
	}
	if n.Image.Path == "" {
		return ImageLabel(n.Image)
	}
	return Clean(n.Image.Path, MaxPath)
}

// Remark returns the source line of a frame and whether it is inlined, as far as known.
func (w *Words) Remark(n *profile.Node) string {
	remark := strings.TrimSpace(source(n))
	if n.Inlined {
		remark = strings.TrimSpace(remark + "  inlined")
	}
	return remark
}

// Doubt describes why a frame may be wrong, or its caller missing; empty if there is no
// doubt.
func (w *Words) Doubt(n *profile.Node) string {
	doubt := ""
	switch {
	case n.By.Guess():
		doubt = GuessMeans
	case PointerOnly(n):
		doubt = FpOnlyMeans
	default:
		return ""
	}
	if n.Why != "" {
		doubt += ". Why not by a better way: " + Clean(n.Why, MaxText)
	}
	return doubt
}

// Cut describes why a stack is incomplete; empty if it is complete.
func (w *Words) Cut(n *profile.Node) string {
	if n.Cut == nil {
		return ""
	}
	return "the callers are missing: " + Clean(n.Cut.String(), MaxText)
}

// Stack returns, for a thread of a deadlock, its stack in one line as in a summary (of many
// samples, the most frequent), and the innermost of the program's own functions, or else
// the innermost function. Both are empty if the thread was not captured.
func (w *Words) Stack(of *profile.Waiter) (stack, in string) {
	b := NewStackLine(w.p.Profile.Original(), 0)
	for _, t := range b.Profile.Threads {
		path := t.Heaviest()
		if t.ID != of.ID || len(path) == 0 {
			continue
		}
		innermost := path[len(path)-1]
		if own := owncode.Innermost(path); own != nil {
			innermost = own
		}
		return b.Stack(path), b.frameName(innermost)
	}
	return "", ""
}

// Waiter names a thread of a deadlock.
func (w *Words) Waiter(of *profile.Waiter) string { return w.p.waiterName(of) }

// WaitsFor describes the wait of a thread of a deadlock, with the owner.
func (w *Words) WaitsFor(of *profile.Waiter) string { return "waits " + w.p.waitForNext(of) }

// Lock describes what a thread of a deadlock waits for.
func (w *Words) Lock(of *profile.Waiter) string {
	if of.Wait.Lock == profile.NoLock {
		return inCall(&of.Wait)
	}
	return lockName(&of.Wait)
}

// WaitOf describes the wait of a thread in a stretch of its samples.
func (w *Words) WaitOf(t *profile.Thread, s *timeline.Stretch) string {
	switch {
	case s.Wait != nil:
		return w.p.WaitFor(t.ID, s.Wait)
	case s.Node != nil:
		return "in " + Label(s.Node)
	}
	return s.State.String()
}

// Behind describes the threads that wait for those of a deadlock, in these processes.
func (w *Words) Behind(d *profile.Deadlock, of []*profile.Profile) string { return w.p.behind(d, of) }

// Stood describes the times of a deadlock's observations; empty for a single snapshot.
func (w *Words) Stood(d *profile.Deadlock) string { return strings.TrimPrefix(w.p.Stood(d), "; ") }
