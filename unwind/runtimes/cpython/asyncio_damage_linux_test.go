package cpython_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"stacksnap/task"
)

const pageSize = 4096

// savedMemory is pages that were read once.
type savedMemory map[task.Addr][]byte

func (s savedMemory) ReadMemory(b []byte, a task.Addr) (n int, err error) {
	for n < len(b) {
		at := a + task.Addr(n)
		page := s[at&^(pageSize-1)]
		offset := int(at % pageSize)
		if offset >= len(page) {
			return n, &task.FaultError{Addr: at}
		}
		n += copy(b[n:], page[offset:])
	}
	return n, nil
}

// keeper keeps each page that is read.
type keeper struct {
	m    task.Memory
	kept savedMemory
}

func (k keeper) ReadMemory(b []byte, a task.Addr) (int, error) {
	for at := a &^ (pageSize - 1); at < a+task.Addr(len(b)); at += pageSize {
		if k.kept[at] == nil {
			page := make([]byte, pageSize)
			n, _ := k.m.ReadMemory(page, at)
			k.kept[at] = page[:n]
		}
	}
	return k.kept.ReadMemory(b, a)
}

// TestDamagedTasks changes what is read of a process in random places: nothing may panic or
// go on for ever, and there are never more tasks than slots to find them in.
func TestDamagedTasks(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		g, told := startTasks(t, py, "5", "locks", "queues", "timeouts", "generators", "joins", "circle")
		saved := savedMemory{}
		p := g.instance(t)
		whole, err := p.Tasks(keeper{g.memory, saved}, g.images)
		if err != nil || len(whole.All) != len(told) {
			t.Fatalf("%d of %d tasks: %v", len(whole.All), len(told), err)
		}
		for damaged := range saved.damaged {
			if got, err := g.instance(t).Tasks(damaged, g.images); err == nil && len(got.All) > 100*len(told) {
				t.Fatalf("%d tasks of %d", len(got.All), len(told))
			}
		}
	})
}

// damaged yields copies of the memory in which many words are changed, the same ones each time.
func (s savedMemory) damaged(yield func(savedMemory) bool) {
	random := rand.New(rand.NewPCG(1, 2))
	places := slices.Sorted(maps.Keys(s))
	for range 100 {
		damaged := maps.Clone(s)
		for range 1 + random.IntN(2000) {
			damage(damaged, places, random)
		}
		if !yield(damaged) {
			return
		}
	}
}

// damage changes a word of a page: to anything, to another word's value, or in a bit.
func damage(m savedMemory, places []task.Addr, random *rand.Rand) {
	at := places[random.IntN(len(places))]
	page := slices.Clone(m[at])
	m[at] = page
	if len(page) < 16 {
		return
	}
	i := random.IntN(len(page)/8) * 8
	switch random.IntN(3) {
	case 0:
		for j := range 8 {
			page[i+j] = byte(random.Uint32())
		}
	case 1:
		copy(page[i:i+8], page[random.IntN(len(page)/8)*8:])
	case 2:
		page[i+random.IntN(8)] ^= 1 << random.IntN(8)
	}
}
