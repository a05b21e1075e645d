package golang

import (
	"encoding/binary"

	"stacksnap/task"
)

// Object is what goroutines wait for: a channel, or a lock or another semaphore.
type Object struct {
	Kind string // "chan", "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "semaphore"
	Addr task.Addr
	// Len and Cap are those of a channel.
	Len, Cap uint64
	// Receivers, Senders and Waiters are the goroutines that wait for it: the first two for a channel alone. Those
	// that wait for several channels at once (select) are not counted.
	Receivers, Senders, Waiters int
}

// semaphores are the kinds of objects by wait reason, and where in each the semaphore is. That of an RWMutex for
// those that wait for the writer before is that of its first field, a Mutex.
var semaphores = map[string]struct {
	kind   string
	offset task.Addr
}{
	"sync.Mutex.Lock":     {"sync.Mutex", 4},
	"sync.RWMutex.Lock":   {"sync.RWMutex", 8},
	"sync.RWMutex.RLock":  {"sync.RWMutex", 12},
	"sync.WaitGroup.Wait": {"sync.WaitGroup", 8},
	"semacquire":          {"semaphore", 0},
}

const (
	receives = "chan receive"
	sends    = "chan send"
)

// objects are the objects for which goroutines wait.
type objects struct {
	byPlace map[objectPlace]*Object
	queue   map[task.Addr]queued // goroutines that wait for semaphores, by their addresses; nil: not read yet
	ofGroup map[int]*groupObjects
	sudog   words // buffer
}

// objectPlace identifies an object: an RWMutex begins with a Mutex.
type objectPlace struct {
	kind string
	addr task.Addr
}

// groupObjects are the objects of the goroutines of a group.
type groupObjects struct {
	known int // goroutines whose object is known
	all   map[*Object]bool
}

func newObjects(l *layout) objects {
	return objects{byPlace: map[objectPlace]*Object{}, ofGroup: map[int]*groupObjects{}, sudog: make(words, l.sudogBytes())}
}

// sudogBytes is how much is read of a runtime.sudog.
func (l *layout) sudogBytes() int { return max(l.channel, l.more) + 8 }

// object reads what the goroutine at an address waits for, between two readings of its state; nil: not known.
func (c *reader) object(at task.Addr, s *state) *Object {
	switch wait := c.wait(s.status, s.reason); wait {
	case receives, sends:
		if s.waiting != 0 && task.ReadFull(c.memory, c.sudog, s.waiting) == nil && c.sudog.addr(0) == at {
			return c.channel(c.sudog.addr(c.layout.channel))
		}
	default:
		if kind, ok := semaphores[wait]; ok {
			return c.semaphore(at, kind.kind, kind.offset)
		}
	}
	return nil
}

// channel returns the channel at an address.
func (c *reader) channel(at task.Addr) *Object {
	place := objectPlace{"chan", at}
	if o := c.byPlace[place]; o != nil {
		return o
	}
	var b [16]byte
	if at == 0 || c.layout.capacity != 8 || task.ReadFull(c.memory, b[:], at) != nil {
		return nil
	}
	o := &Object{Kind: "chan", Addr: at, Len: binary.LittleEndian.Uint64(b[:]), Cap: binary.LittleEndian.Uint64(b[8:])}
	if o.Len > o.Cap {
		return nil
	}
	c.byPlace[place] = o
	return o
}

// semaphore returns the object with the semaphore for which the goroutine at an address waits. That it is in the
// queue of it is read again, for queues change while they are read.
func (c *reader) semaphore(at task.Addr, kind string, offset task.Addr) *Object {
	if c.queue == nil {
		c.readQueues()
	}
	q, ok := c.queue[at]
	if !ok || task.ReadFull(c.memory, c.sudog, q.sudog) != nil || c.sudog.addr(0) != at || c.sudog.addr(c.layout.elem) != q.semaphore {
		return nil
	}
	place := objectPlace{kind, q.semaphore - offset}
	if c.byPlace[place] == nil {
		c.byPlace[place] = &Object{Kind: kind, Addr: place.addr}
	}
	return c.byPlace[place]
}

// note counts a goroutine of a group, and what it waits for.
func (c *reader) note(group int, wait string, o *Object) {
	if o == nil {
		return
	}
	of := c.ofGroup[group]
	if of == nil {
		of = &groupObjects{all: map[*Object]bool{}}
		c.ofGroup[group] = of
	}
	of.known++
	of.all[o] = true
	o.Waiters++
	switch wait {
	case receives:
		o.Receivers++
	case sends:
		o.Senders++
	}
}

// setObjects sets what the goroutines of each group wait for, where that is known of all.
func (c *reader) setObjects() {
	for i, of := range c.ofGroup {
		g := &c.made.Groups[i]
		if of.known != g.Count {
			continue
		}
		g.Objects = len(of.all)
		if g.Objects == 1 {
			for o := range of.all {
				g.On = o
			}
		}
	}
}
