// Package words has the sentences, names and numbers that reports for people share: the
// texts, the page of -f html, the live view and Apple's reports. What it returns is safe in
// a line of a terminal, whatever the target's names are.
package words

import (
	"io"
	"iter"
	"strings"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
)

// Words tells what the reports for people do, part by part, for writers that have a
// room of their own. All that it returns is plain, safe in a line, and of bounded length
// but for the names of functions.
type Words struct {
	p     Printer
	clock Clock
}

// NewWords returns a Words that describes p: what the reports for people say of it, part
// by part.
func NewWords(p *profile.Profile) *Words {
	return &Words{*NewPrinter(io.Discard, p, Options{}), NewClock(p)}
}

// GroupWords returns the words on what is of all processes of a group.
func GroupWords(g *profile.Group) *Words { return NewWords(AboutGroup(g)) }

// Fact is a line of a report's header.
type Fact struct{ Name, Value string }

// Facts are whose stacks these are, how and when they were captured and are shown, and
// what to beware of.
func (w *Words) Facts() (facts []Fact) {
	p := w.p
	p.facts = &facts
	p.Target()
	p.Capture()
	p.View()
	p.Notes()
	return facts
}

// GroupFacts are about all the processes of a group; there are none of one alone.
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

// GroupTitle names the processes in a line.
func GroupTitle(g *profile.Group) string { return GroupName(g) }

// Timed reports whether samples stand for time, and CPU whether the system has counted
// that on processors.
func (w *Words) Timed() bool { return w.clock.Known() }

// CPU is told of at [Words.Timed].
func (w *Words) CPU() bool { return CountsCPU(w.p.Profile) }

// Threads gives each thread with its tree by function, one after another: the trees of
// all of them are not needed at once.
func (w *Words) Threads() iter.Seq[*profile.Thread] { return ThreadsByFunction(w.p.Profile) }

// Thread names a thread.
func (w *Words) Thread(t *profile.Thread) string { return ThreadLabel(w.p.Profile, t) }

// ThreadFacts returns what is known of a thread besides its name. The first is its state
// or, of many samples, how often it was in each. What is not known is left out.
func (w *Words) ThreadFacts(t *profile.Thread) (facts []string) {
	p := w.of(t)
	for _, fact := range []string{p.States(t), DispatchQueue(t), p.Samples(t), p.Spent(t), Priority(t), p.Cpu(t)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	return facts
}

// Waits are what a thread was found to wait for, again and again.
func (w *Words) Waits(t *profile.Thread) []string { return w.p.Waits(t) }

// Missing is what is missing of a thread, and why; it is empty where nothing is.
func (w *Words) Missing(t *profile.Thread) string { return w.of(t).Missing(t) }

// of is a printer that counts the samples of a thread, if there are many.
func (w *Words) of(t *profile.Thread) *Printer {
	p := w.p
	if p.Profile.Sampled() || t.Together != nil {
		p.Total = t.Samples
	}
	return &p
}

// Branch is a node of a thread's tree, or what stands there for frames and samples that
// are not known.
type Branch struct {
	Depth     int
	Node      *profile.Node // nil: there is no frame, and Mark stands for it
	Mark      string
	Samples   int // in which it was the innermost, of all threads that the entry stands for
	Wall, CPU time.Duration

	above *profile.Node // of a mark that has the samples of a node
}

// Ends returns the node whose samples the branch has, nil where it has those of which no
// frame is known.
func (b *Branch) Ends() *profile.Node {
	if b.above != nil {
		return b.above
	}
	return b.Node
}

// Branches gives a tree with each node before its children. A line of its own is above
// outermost frames that lack their callers, or below them where the innermost frames
// are the roots. What goes with no frame that is known comes last.
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

// cut gives an outermost frame that lacks its callers, and a line that says so.
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

// Frame names a function or, without a symbol, image and offset.
func (w *Words) Frame(n *profile.Node) string {
	if n.Folded != nil {
		return FoldedText(n.Folded)
	}
	return strings.TrimSuffix(Label(n), guessMark)
}

// Image names the file that a frame lies in, by its path; it is empty where there is
// none.
func (w *Words) Image(n *profile.Node) string {
	if n.Image == nil {
		return ""
	}
	if n.Image.Path == "" {
		return ImageLabel(n.Image)
	}
	return Clean(n.Image.Path, MaxPath)
}

// Remark says where in the source a frame stands, and that it is inlined, as far as
// that is known.
func (w *Words) Remark(n *profile.Node) string {
	remark := strings.TrimSpace(source(n))
	if n.Inlined {
		remark = strings.TrimSpace(remark + "  inlined")
	}
	return remark
}

// Doubt says why a frame may be wrong, or its caller missing; it is empty where there
// is no reason to think so.
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

// Cut says why a stack is not known to its bottom; it is empty where it is.
func (w *Words) Cut(n *profile.Node) string {
	if n.Cut == nil {
		return ""
	}
	return "the callers are missing: " + Clean(n.Cut.String(), MaxText)
}

// Stack is where a thread of a deadlock is, in a line: the innermost functions, and those of
// the program's own, as a summary has them; of many samples the most frequent. In is the
// innermost of the program's own, else of all. Both are empty where it was not captured.
func (w *Words) Stack(of *profile.Waiter) (stack, in string) {
	b := NewStackLine(w.p.Profile.Original(), SummaryColumns)
	for _, t := range b.Profile.Threads {
		path := t.Heaviest()
		if t.ID != of.ID || len(path) == 0 {
			continue
		}
		innermost := len(path) - 1
		for i := innermost; i >= 0; i-- {
			if isOwn(path[i]) {
				innermost = i
				break
			}
		}
		return b.Stack(path), b.frameName(path[innermost])
	}
	return "", ""
}

// Waiter names a thread of a deadlock.
func (w *Words) Waiter(of *profile.Waiter) string { return w.p.waiterName(of) }

// WaitsFor says what a thread of a deadlock waits for, and who has it.
func (w *Words) WaitsFor(of *profile.Waiter) string { return "waits " + w.p.waitForNext(of) }

// Lock names what a thread of a deadlock waits for.
func (w *Words) Lock(of *profile.Waiter) string {
	if of.Wait.Lock == profile.NoLock {
		return inCall(&of.Wait)
	}
	return lockName(&of.Wait)
}

// WaitOf says what a thread waits for in a stretch of its samples.
func (w *Words) WaitOf(t *profile.Thread, s *timeline.Stretch) string {
	switch {
	case s.Wait != nil:
		return w.p.WaitFor(t.ID, s.Wait)
	case s.Node != nil:
		return "in " + Label(s.Node)
	}
	return s.State.String()
}

// Stood says for how long a deadlock did; it is empty of a single snapshot.
func (w *Words) Stood(d *profile.Deadlock) string { return strings.TrimPrefix(w.p.Stood(d), "; ") }
