package golang

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind"
)

// The bounds of what is read.
const (
	maxGoroutines = 1 << 20
	maxCopied     = 256 << 20 // bytes of all stacks
	maxCopy       = 64 << 10  // bytes of one stack
	maxTries      = 3         // to read a goroutine that changes meanwhile
)

// Options has what is needed to walk stacks, and to leave goroutines out.
type Options struct {
	Unwinder *unwind.Unwinder
	Images   *images.Map
	Code     task.Memory // see [unwind.Unwinder.Walk]
	// OnThread reports whether a thread has a frame between two addresses, the bounds of a
	// goroutine's stack: that thread runs the goroutine. It may be nil.
	OnThread func(low, high task.Addr) bool
}

// Group is a number of goroutines with the same stack, wait and creator.
type Group struct {
	Goroutine // the first of them
	Frames    []unwind.Frame
	Stop      unwind.Stop
	Count     int
	On        *Object // what all of them wait for; nil: not the same, or not known
	Objects   int     // number of different ones; 0: not known
}

// Collection is the goroutines of a process that no thread runs.
type Collection struct {
	Groups  []Group // the largest first
	Running int     // number of those that a thread ran when they were read, but not at the capture
	Torn    int     // number of those that changed each time they were read
	LeftOut int     // number of those beyond the bounds
}

// reader reads one goroutine after another.
type reader struct {
	*Runtime
	Options
	stacks
	objects
	words, again words
	buffer       []byte
	copied       int
	made         Collection
	index        map[alike]int
}

// alike is what goroutines of a group have in common.
type alike struct {
	stack   *stack
	wait    string
	creator task.Addr
	system  bool
}

// Collect reads all goroutines. What cannot be read is counted.
func (r *Runtime) Collect(o Options) (*Collection, error) {
	list, more, err := r.addresses()
	if err != nil {
		return nil, fmt.Errorf("goroutines are not readable: %w", err)
	}
	c := &reader{
		Runtime: r, Options: o, stacks: newStacks(), objects: newObjects(r.layout), index: map[alike]int{},
		words: make(words, r.layout.used()), again: make(words, r.layout.used()), buffer: make([]byte, maxCopy),
	}
	c.made.LeftOut = more
	for _, at := range list {
		c.add(at)
	}
	c.setObjects()
	slices.SortStableFunc(c.made.Groups, func(a, b Group) int { return cmp.Compare(b.Count, a.Count) })
	return &c.made, nil
}

var errNoList = errors.New("there is no list of goroutines")

// addresses reads the list of goroutines, and returns how many more there are. The length is
// read first, for the runtime grows the list before it sets the length.
func (r *Runtime) addresses() (list []task.Addr, more int, err error) {
	length, err := task.ReadPointer(r.memory, r.length, 8)
	if err != nil {
		return nil, 0, err
	}
	first, err := task.ReadPointer(r.memory, r.list, 8)
	if err != nil {
		return nil, 0, err
	}
	if length == 0 || first == 0 {
		return nil, 0, errNoList
	}
	n := min(uint64(length), maxGoroutines)
	raw := make([]byte, 8*n)
	got, err := r.memory.ReadMemory(raw, first)
	if got < 8 {
		return nil, 0, cmp.Or(err, errNoList)
	}
	for at := 0; at+8 <= got; at += 8 {
		list = append(list, task.Addr(binary.LittleEndian.Uint64(raw[at:])))
	}
	return list, int(min(uint64(length)-uint64(len(list)), 1<<40)), nil
}

// add reads the goroutine at an address, and counts it.
func (c *reader) add(at task.Addr) {
	for range maxTries {
		s, ok := c.readState(c.words, at)
		switch {
		case !ok:
			continue // the runtime may be moving its stack
		case s.status.isNone():
			return
		case c.OnThread != nil && c.OnThread(s.low, s.high):
			return
		case s.status.isThread():
			c.made.Running++
			return
		case c.copied >= maxCopied:
			c.made.LeftOut++
			return
		}
		since := c.words.word(c.layout.since)
		copied, err := c.copyStack(&s)
		on := c.object(at, &s)
		if again, ok := c.readState(c.again, at); err == nil && ok && again == s {
			c.count(&s, copied, time.Duration(since), on)
			return
		}
	}
	c.made.Torn++
}

// mainID is the number of the goroutine that runs main.main.
const mainID = 1

func (c *reader) readState(w words, at task.Addr) (state, bool) {
	if task.ReadFull(c.memory, w, at) != nil {
		return state{}, false
	}
	return c.layout.decode(w, at)
}

// copyStack copies the innermost part of a stack. The copy is valid until the next call.
func (c *reader) copyStack(s *state) ([]byte, error) {
	b := c.buffer[:min(uint64(s.high)-s.sp, maxCopy)]
	c.copied += len(b)
	return b, task.ReadFull(c.memory, b, task.Addr(s.sp))
}

// count adds a goroutine to those that are like it, with what it waits for.
func (c *reader) count(s *state, copied []byte, since time.Duration, on *Object) {
	wait := c.wait(s.status, s.reason)
	if s.id == mainID {
		s.creator = 0 // the runtime's start-up code
	}
	key := alike{c.stackOf(s, copied), wait, s.creator, c.isSystem(s.start, wait)}
	if key.stack == nil {
		c.made.LeftOut++
		return
	}
	i, ok := c.index[key]
	if !ok {
		i = len(c.made.Groups)
		c.index[key] = i
		g := Goroutine{ID: s.id, Wait: wait, System: key.system, Creator: s.creator}
		if s.status == isWaiting {
			g.Since = since
		}
		c.made.Groups = append(c.made.Groups, Group{Goroutine: g, Frames: key.stack.frames, Stop: key.stack.stop})
	}
	c.made.Groups[i].Count++
	c.note(i, wait, on)
}
