package golang

import (
	"fmt"
	"strings"
	"testing"

	"stacksnap/task"
)

// Where the channels, the sudogs, and the table of semaphores of the tests are.
const (
	channelAt = base + 0x9000
	sudogsAt  = base + 0xa000
	distanceS = 0x80
	tableAt   = base + 0x10000
	mutexSema = 0x500004 // the semaphore of a sync.Mutex at 0x500000
)

func placeOfSudog(i int) task.Addr { return sudogsAt + task.Addr(i)*distanceS }

// inChannel makes a goroutine receive from the channel with an index.
func inChannel(r *Runtime, m *memory, i, channel int) {
	at := task.Addr(channelAt + 32*channel)
	m.set(at+8, 3) // capacity
	m.set(placeOf(i)+task.Addr(r.layout.waiting), uint64(placeOfSudog(i)))
	m.set(placeOfSudog(i), uint64(placeOf(i)))
	m.set(placeOfSudog(i)+task.Addr(r.layout.channel), uint64(at))
}

// inQueue makes a goroutine wait for a semaphore.
func inQueue(r *Runtime, m *memory, i int, semaphore uint64) {
	r.reasons = []string{"", "sync.Mutex.Lock"}
	m.set(placeOfSudog(i), uint64(placeOf(i)))
	m.set(placeOfSudog(i)+task.Addr(r.layout.elem), semaphore)
}

// rootOf is where the root for a semaphore is.
func rootOf(r *Runtime, semaphore uint64) task.Addr {
	r.semaphoreTables = []task.Addr{tableAt}
	return tableAt + task.Addr(int(semaphore>>3%semRoots)*r.rootBytes()+r.layout.treap)
}

// seenObjects describes what groups wait for.
func seenObjects(c *Collection) string {
	var all []string
	for _, g := range c.Groups {
		text := fmt.Sprintf("%d: %d", g.Count, g.Objects)
		if o := g.On; o != nil {
			text += fmt.Sprintf(" %s %v %d/%d %d+%d=%d", o.Kind, o.Addr, o.Len, o.Cap, o.Receivers, o.Senders, o.Waiters)
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// TestObjects: what goroutines wait for is said where it is known of all that are alike.
func TestObjects(t *testing.T) {
	same := func(r *Runtime, m *memory) {
		for i := range 3 {
			inChannel(r, m, i, 0)
		}
	}
	tree := func(r *Runtime, m *memory) { // the first in the tree, the second below it, the third in the queue of the second
		for i := range 3 {
			inQueue(r, m, i, mutexSema)
		}
		m.set(rootOf(r, mutexSema), uint64(placeOfSudog(0)))
		m.set(placeOfSudog(0)+task.Addr(r.layout.left), uint64(placeOfSudog(1)))
		m.set(placeOfSudog(1)+task.Addr(r.layout.more), uint64(placeOfSudog(2)))
	}
	at := func(r *Runtime, m *memory, sudog, field int, v uint64) {
		m.set(placeOfSudog(sudog)+task.Addr(field), v)
	}
	for name, c := range map[string]struct {
		change func(r *Runtime, m *memory)
		want   string
	}{
		"a channel":                {same, "3: 1 chan 0x19000 0/3 3+0=3"},
		"channels":                 {func(r *Runtime, m *memory) { same(r, m); inChannel(r, m, 2, 1) }, "3: 2"},
		"of one it is not known":   {func(r *Runtime, m *memory) { same(r, m); at(r, m, 2, 0, 8) }, "3: 0"},
		"more in it than it takes": {func(r *Runtime, m *memory) { same(r, m); m.set(channelAt, 4) }, "3: 0"},
		"a channel elsewhere":      {func(r *Runtime, m *memory) { same(r, m); at(r, m, 0, r.layout.channel, 8) }, "3: 0"},
		"a mutex":                  {tree, "3: 1 sync.Mutex 0x500000 0/0 0+0=3"},
		"of another root": {func(r *Runtime, m *memory) {
			tree(r, m)
			m.set(rootOf(r, mutexSema), 0)
			m.set(rootOf(r, 8), uint64(placeOfSudog(0)))
		}, "3: 0"},
		"the tree is a circle":  {func(r *Runtime, m *memory) { tree(r, m); at(r, m, 1, r.layout.right, uint64(placeOfSudog(0))) }, "3: 1 sync.Mutex 0x500000 0/0 0+0=3"},
		"the queue is a circle": {func(r *Runtime, m *memory) { tree(r, m); at(r, m, 2, r.layout.more, uint64(placeOfSudog(1))) }, "3: 1 sync.Mutex 0x500000 0/0 0+0=3"},
		"no table":              {func(r *Runtime, m *memory) { tree(r, m); r.semaphoreTables = nil }, "3: 0"},
		"it left the queue by then": {func(r *Runtime, m *memory) {
			tree(r, m)
			m.read = func(a task.Addr) {
				if a == stackPlace(1)+stackSize-64 { // of the second goroutine, when the queues have been read
					at(r, m, 1, r.layout.elem, 0)
				}
			}
		}, "3: 0"},
	} {
		r, m := parked(3)
		c.change(r, m)
		if got := seenObjects(collect(t, r, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
