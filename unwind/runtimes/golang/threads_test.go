package golang

import (
	"fmt"
	"slices"
	"testing"

	"stacksnap/task"
)

const (
	firstM    = base + 0x8000
	distanceM = 0x400
)

func placeOfM(i int) task.Addr { return firstM + task.Addr(i)*distanceM }

// withThreads makes a runtime with threads 100, 101 … that each run one of its goroutines.
func withThreads(n int) (*Runtime, *memory) {
	r, m := parked(n)
	l := r.layout
	r.allm = base + 0x7000
	m.set(r.allm, uint64(placeOfM(0)))
	for i := range n {
		at := func(field int) task.Addr { return placeOfM(i) + task.Addr(field) }
		m.set(at(l.thread), uint64(100+i))
		m.set(at(l.current), uint64(placeOf(i)))
		if i+1 < n {
			m.set(at(l.nextM), uint64(placeOfM(i+1)))
		}
		m.set(placeOf(i)+task.Addr(l.m), uint64(placeOfM(i)))
		m.set32(placeOf(i)+task.Addr(l.status), uint32(isRunning))
	}
	return r, m
}

// goroutines returns "thread:goroutine" of those that are read.
func goroutines(t *testing.T, r *Runtime, m *memory, change func()) (found []string) {
	t.Helper()
	chains, err := r.Chains(m, func(at task.Addr) (task.ThreadID, bool) { return task.ThreadID(at) + 1000, true })
	if err != nil {
		t.Error(err)
	}
	if change != nil {
		change()
	}
	for id, c := range chains {
		if g, ok := r.Goroutine(id, copied(m, &c), m); ok {
			found = append(found, fmt.Sprintf("%d:%d%v", id, g.ID, g.Labels))
		}
	}
	slices.Sort(found)
	return found
}

// copied follows a chain as a stop does.
func copied(m task.Memory, c *task.Chain) (chain []task.Object) {
	at, size := c.At, c.Size
	for i := 0; at != 0; i++ {
		o := task.Object{At: at, Bytes: make([]byte, size)}
		if task.ReadFull(m, o.Bytes, at) != nil {
			break
		}
		chain = append(chain, o)
		next := c.Links[min(i, len(c.Links)-1)]
		at, size = o.Pointer(next.Offset), next.Size
	}
	return chain
}

// TestGoroutineOfThread: a goroutine is that of a thread if each refers to the other, and if the
// goroutine runs. It is of the moment of the copy.
func TestGoroutineOfThread(t *testing.T) {
	for name, c := range map[string]struct {
		before, after func(r *Runtime, m *memory)
		want          string
	}{
		"all": {nil, nil, "[100:10[] 101:11[]]"},
		"in a call": {func(r *Runtime, m *memory) {
			m.set32(placeOf(0)+task.Addr(r.layout.status), uint32(isInSyscall)|scanned)
		}, nil, "[100:10[] 101:11[]]"},
		"being moved":       {func(r *Runtime, m *memory) { m.set32(placeOf(0)+task.Addr(r.layout.status), uint32(isCopied)) }, nil, "[100:10[] 101:11[]]"},
		"to be parked":      {func(r *Runtime, m *memory) { m.set32(placeOf(0)+task.Addr(r.layout.status), uint32(isWaiting)) }, nil, "[101:11[]]"},
		"of another thread": {func(r *Runtime, m *memory) { m.set(placeOf(0)+task.Addr(r.layout.m), uint64(placeOfM(1))) }, nil, "[101:11[]]"},
		"none":              {func(r *Runtime, m *memory) { m.set(placeOfM(0)+task.Addr(r.layout.current), 0) }, nil, "[101:11[]]"},
		"another by then": {nil, func(r *Runtime, m *memory) {
			m.set(placeOfM(0)+task.Addr(r.layout.current), uint64(placeOf(1)))
			m.set(placeOf(1)+task.Addr(r.layout.m), uint64(placeOfM(0)))
			m.set(placeOfM(1)+task.Addr(r.layout.current), 0)
		}, "[100:11[]]"},
		"the record of another thread by then": {nil, func(r *Runtime, m *memory) { m.set(placeOfM(0)+task.Addr(r.layout.thread), 102) }, "[101:11[]]"},
		"not started":                          {func(r *Runtime, m *memory) { m.set(placeOfM(0)+task.Addr(r.layout.thread), 0) }, nil, "[101:11[]]"},
		"two records of one": {func(r *Runtime, m *memory) {
			m.set(placeOfM(1)+task.Addr(r.layout.thread), 100)
			m.set32(placeOf(1)+task.Addr(r.layout.status), uint32(isExtra))
		}, nil, "[100:10[]]"},
		"two records of one, the other way": {func(r *Runtime, m *memory) {
			m.set(placeOfM(1)+task.Addr(r.layout.thread), 100)
			m.set32(placeOf(0)+task.Addr(r.layout.status), uint32(isExtra))
		}, nil, "[100:11[]]"},
		"by handles": {func(r *Runtime, m *memory) { r.darwin = true }, nil, "[1100:10[] 1101:11[]]"},
	} {
		r, m := withThreads(2)
		if c.before != nil {
			c.before(r, m)
		}
		after := func() {}
		if c.after != nil {
			after = func() { c.after(r, m) }
		}
		if got := fmt.Sprint(goroutines(t, r, m, after)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// withLabels gives the first goroutine labels.
func withLabels(r *Runtime, m *memory) {
	const set, list, texts = base + 0x7100, base + 0x7200, base + 0x7300
	m.set(set, list)
	m.set(set+8, 1)
	copy(m.bytes[texts-base:], "handler/login")
	m.set(list, texts)
	m.set(list+8, 7)
	m.set(list+16, texts+7)
	m.set(list+24, 6)
	m.set(placeOf(0)+task.Addr(r.layout.labels), set)
}

// TestLabels: labels are those of the copied goroutine, or none.
func TestLabels(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Runtime, m *memory)
		want   string
	}{
		"as copied": {func(*Runtime, *memory) {}, "[100:10[handler /login]]"},
		"others by now": {func(r *Runtime, m *memory) {
			m.read = func(a task.Addr) {
				if a == base+0x7200 { // while the list is read
					m.set(placeOf(0)+task.Addr(r.layout.labels), base+0x7108)
				}
			}
		}, "[100:10[]]"},
		"not readable": {func(_ *Runtime, m *memory) { m.set(base+0x7100, 8) }, "[100:10[]]"},
		"too long":     {func(_ *Runtime, m *memory) { m.set(base+0x7208, 1<<40) }, "[100:10[]]"},
	} {
		r, m := withThreads(1)
		withLabels(r, m)
		c.change(r, m)
		if got := fmt.Sprint(goroutines(t, r, m, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestReadsOfThreads: in a stop a thread costs two pieces of memory, whatever the number of threads.
func TestReadsOfThreads(t *testing.T) {
	r, m := withThreads(20)
	chains, err := r.Chains(m, nil)
	if err != nil || len(chains) != 20 {
		t.Fatalf("%d chains, %v", len(chains), err)
	}
	reads := 0
	m.read = func(task.Addr) { reads++ }
	for _, c := range chains {
		if n := len(copied(m, &c)); n != 2 {
			t.Errorf("%d pieces", n)
		}
	}
	if reads != 40 {
		t.Errorf("%d reads", reads)
	}
}

// TestThreadsInACircle: a list that does not end is left.
func TestThreadsInACircle(t *testing.T) {
	r, m := withThreads(2)
	m.set(placeOfM(1)+task.Addr(r.layout.nextM), uint64(placeOfM(0)))
	if chains, err := r.Chains(m, nil); err == nil || len(chains) != 2 {
		t.Errorf("%d chains, %v", len(chains), err)
	}
}

// TestOnStacks: the goroutine of a saved process is that on whose stack a thread is.
func TestOnStacks(t *testing.T) {
	r, m := withThreads(3)
	m.set32(placeOf(1)+task.Addr(r.layout.status), uint32(isWaiting))
	all := r.OnStacks(m)
	for at, want := range map[task.Addr]uint64{
		stackPlace(0) - 1: 0, stackPlace(0): 10, stackPlace(1) - 1: 10, stackPlace(1): 0, stackPlace(2): 12, stackPlace(3) - 1: 12, stackPlace(3): 0,
	} {
		if g, ok := all.At(at); g.ID != want || ok != (want != 0) {
			t.Errorf("at %v: %+v, %v, want %d", at, g, ok, want)
		}
	}
}
