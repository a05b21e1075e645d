package top

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// thread is a thread of the process, across samples.
type thread struct {
	id    task.ThreadID
	name  string
	state task.State
	stack *stack
	used  time.Duration // CPU time so far
	open  time.Duration // part of used that is not assigned to a sample yet
	wait  string        // last observed wait; empty: none, or unknown
	alike string        // wait without the object, in which alike threads may differ
	at    *stack        // stack when wait was observed
	since tallies       // sums since the start; nil beyond maxOwn threads
	seen  int           // number of the last sample with it

	goroutine string // that it ran in the last sample: "goroutine 7"; empty: none, or unknown
}

// maxOwn is the maximum number of threads that have their own sums by function.
const maxOwn = 512

func (b *Board) addThread(now *part, t *task.Thread, s *Sample) {
	own := b.thread(t)
	b.listed = append(b.listed, own)
	own.seen = b.Samples
	own.see(t, b.target.Name)
	used := max(0, cpu(t)-own.used)
	own.used += used
	now.cpu[own] += used
	b.CPU += used
	own.stack = b.stack(s, t.ID)
	now.count(spot{own, own.stack}, amount{1, own.spend(used, t.State)})
}

// main returns the id of the main thread: on Linux that is the pid, on other systems the lowest
// one, as ids only grow.
func (b *Board) main() task.ThreadID {
	if b.target.OS == task.Linux || len(b.listed) == 0 {
		return task.ThreadID(b.target.PID)
	}
	return slices.MinFunc(b.listed, func(x, y *thread) int { return cmp.Compare(x.id, y.id) }).id
}

// spend returns the CPU time to assign to a sample. A sample in which the thread waits gets
// none: the time was used before, in another stack, and goes to the next sample in which it
// runs.
func (own *thread) spend(used time.Duration, state task.State) time.Duration {
	own.open += used
	if state != task.Running {
		return 0
	}
	used, own.open = own.open, 0
	return used
}

// thread returns the board's record of a thread. If the CPU time has decreased, the id was
// reused for a new thread, which gets a new record.
func (b *Board) thread(t *task.Thread) *thread {
	own := b.threads[t.ID]
	if own != nil && cpu(t) >= own.used || own != nil && t.State == task.StateUnknown {
		return own
	}
	own = &thread{id: t.ID, used: cpu(t)}
	if len(b.threads) < maxOwn {
		own.since = tallies{}
	}
	b.threads[t.ID] = own
	return own
}

// see updates the thread from a sample. It keeps values that the sample does not have.
func (own *thread) see(t *task.Thread, process string) {
	name := profile.ThreadName{Name: t.Name, RuntimeName: t.RuntimeName}.Shown(process)
	switch {
	case name != "":
		own.name = name
	case t.Queue != "":
		own.name = t.Queue
	}
	own.goroutine = words.Goroutine(t.Goroutine.ID)
	if t.State != task.StateUnknown {
		own.state = t.State
	}
}

// cpu returns the CPU time of a thread, from the most exact counter available.
func cpu(t *task.Thread) time.Duration {
	if t.Schedule.Known() {
		return t.Schedule.Ran
	}
	return t.User + t.System
}

// look updates the waits of threads.
func (b *Board) look(looks []profile.Look) {
	for _, l := range looks {
		t := b.threads[l.Thread]
		if t == nil {
			continue
		}
		if t.wait, t.alike = "", ""; l.Wait != nil {
			t.wait = "waits " + b.words.Waiting(l.Thread, l.Wait)
			alike := *l.Wait
			alike.Object, alike.Variable = "", ""
			t.alike = "waits " + b.words.Waiting(l.Thread, &alike)
		}
		t.at = t.stack
	}
}

// waits returns the thread's wait, and that without its object, if the thread still has the
// stack with which it was observed.
func (own *thread) waits() (wait, alike string) {
	if own.state == task.Running || own.at != own.stack {
		return "", ""
	}
	return own.wait, own.alike
}

// stack is a stack: its functions, each once, innermost first, and the frames to show.
type stack struct {
	functions []int32
	frames    []frame // innermost first
	left      int     // frames left out of the middle
	cut       string  // why the stack is truncated; empty: complete
	likeness  string  // equal for stacks with the same functions
	caller    string  // phrase with the innermost function of own code; empty if that is the innermost frame
}

// size returns the number of functions and frames, plus one.
func (s *stack) size() int { return 1 + len(s.functions) + len(s.frames) }

// frame is a call of a function.
type frame struct {
	function int32
	line     int32 // a number of the board's lines
	guess    bool
}

// maxFrames is the maximum number of frames kept of a stack.
const maxFrames = 256

// none is the empty stack of a thread without known frames.
var none = &stack{}

// stack returns the stack of a thread in a sample.
func (b *Board) stack(sample *Sample, id task.ThreadID) *stack {
	path, cut := sample.Path(id)
	if len(path) == 0 {
		return none
	}
	leaf := path[len(path)-1]
	s := b.ring.stacks[leaf]
	if s == nil {
		s = b.newStack(sample.calls(path), cut)
		b.ring.stacks[leaf] = s
	}
	return s
}

// calls returns the calls of a path, with those that are inlined.
func (s *Sample) calls(path []*profile.Node) []*profile.Node {
	if s.Calls == nil {
		return path
	}
	var all []*profile.Node
	for _, n := range path {
		all = append(all, s.Calls(n)...)
	}
	return all
}

// newStack returns the stack for a path of calls, which begins with the outermost one.
func (b *Board) newStack(path []*profile.Node, cut unwind.Reason) *stack {
	s := &stack{left: max(0, len(path)-maxFrames)}
	if cut != unwind.Bottom {
		s.cut = cut.String()
	}
	if own := owncode.Innermost(path); own != nil && own != path[len(path)-1] {
		s.caller = ", called by " + b.words.Function(own)
	}
	clear(b.mark)
	for i, n := range slices.Backward(path) {
		fn := b.number(n)
		if !b.mark[fn] {
			b.mark[fn] = true
			s.functions = append(s.functions, fn)
		}
		if from := len(path) - 1 - i; from < maxFrames/2 || from >= maxFrames/2+s.left {
			s.frames = append(s.frames, frame{fn, b.line(n), b.words.IsGuess(n)})
		}
	}
	s.likeness = fmt.Sprint(s.functions, s.cut)
	return s
}
