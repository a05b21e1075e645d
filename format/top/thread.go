package top

import (
	"slices"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// thread is one of the process, from sample to sample.
type thread struct {
	id    task.ThreadID
	name  string
	state task.State
	stack *stack
	used  time.Duration // CPU time
	open  time.Duration // of that, what waits for a sample in which it ran
	wait  string        // what it waits for; empty: it does not, or that is not known
	at    *stack        // where it was when that was asked
	since tallies       // its own; nil: it is one of too many
	seen  int           // the number of the last sample that has it
}

// maxOwn is how many threads have their functions counted apart.
const maxOwn = 512

func (b *Board) addThread(now *part, t *task.Thread, path func(task.ThreadID) ([]*profile.Node, unwind.Reason)) {
	own := b.thread(t)
	b.listed = append(b.listed, own)
	own.seen = b.Samples
	own.see(t)
	used := max(0, cpu(t)-own.used)
	own.used += used
	now.cpu[own] += used
	b.CPU += used
	own.stack = b.stack(path(t.ID))
	now.count(spot{own, own.stack}, amount{1, own.spend(used, t.State)})
}

// spend returns the CPU time that goes with a sample. That belongs to the stack in which
// the thread runs; one that waits has used it before, in another.
func (own *thread) spend(used time.Duration, state task.State) time.Duration {
	own.open += used
	if state != task.Running {
		return 0
	}
	used, own.open = own.open, 0
	return used
}

// thread finds a thread. One that has used less CPU time than before is another, which
// was given the id of one that has ended.
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

// see takes over what a sample tells of the thread, and keeps what it does not tell.
func (own *thread) see(t *task.Thread) {
	switch {
	case t.Name != "":
		own.name = t.Name
	case t.Queue != "":
		own.name = t.Queue
	}
	if t.State != task.StateUnknown {
		own.state = t.State
	}
}

// cpu is what a thread has used, as exactly as the system tells.
func cpu(t *task.Thread) time.Duration {
	if t.Schedule.Known() {
		return t.Schedule.Ran
	}
	return t.User + t.System
}

// look takes over what threads wait for.
func (b *Board) look(looks []profile.Look) {
	for _, l := range looks {
		t := b.threads[l.Thread]
		if t == nil {
			continue
		}
		if t.wait = ""; l.Wait != nil {
			t.wait = "waits " + b.words.Waiting(l.Thread, l.Wait)
		}
		t.at = t.stack
	}
}

// waits is what the thread waits for, as far as it is where it was when that was asked.
func (own *thread) waits() string {
	if own.state == task.Running || own.at != own.stack {
		return ""
	}
	return own.wait
}

// stack is where a thread was: the functions of it, each once, the innermost first, and
// the frames to be shown.
type stack struct {
	functions []int32
	frames    []frame // the innermost first
	left      int     // frames that are left out between the first half and the others
	cut       string  // why callers are missing; empty where none are
}

// size is how much is kept of it.
func (s *stack) size() int { return 1 + len(s.functions) + len(s.frames) }

// frame is a call of a function.
type frame struct {
	function int32
	guess    bool
}

// maxFrames is how many of a stack are kept to be shown.
const maxFrames = 256

// none is the stack of a thread of which no frame is known.
var none = &stack{}

// stack finds the one that a path from the outermost frame is.
func (b *Board) stack(path []*profile.Node, cut unwind.Reason) *stack {
	if len(path) == 0 {
		return none
	}
	leaf := path[len(path)-1]
	s := b.ring.stacks[leaf]
	if s == nil {
		s = b.newStack(path, cut)
		b.ring.stacks[leaf] = s
	}
	return s
}

func (b *Board) newStack(path []*profile.Node, cut unwind.Reason) *stack {
	s := &stack{left: max(0, len(path)-maxFrames)}
	if cut != unwind.Bottom {
		s.cut = cut.String()
	}
	clear(b.mark)
	for i, n := range slices.Backward(path) {
		fn := b.number(n)
		if !b.mark[fn] {
			b.mark[fn] = true
			s.functions = append(s.functions, fn)
		}
		if from := len(path) - 1 - i; from < maxFrames/2 || from >= maxFrames/2+s.left {
			s.frames = append(s.frames, frame{fn, b.words.IsGuess(n)})
		}
	}
	return s
}
