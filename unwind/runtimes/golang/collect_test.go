package golang

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// memory is the target's, from base on. Read is called after each read.
type memory struct {
	bytes []byte
	read  func(a task.Addr)
}

const base = 0x10000

func (m *memory) ReadMemory(p []byte, a task.Addr) (int, error) {
	if a < base || uint64(a-base) >= uint64(len(m.bytes)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, m.bytes[a-base:])
	if m.read != nil {
		m.read(a)
	}
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

func (m *memory) set(a task.Addr, v uint64) { binary.LittleEndian.PutUint64(m.bytes[a-base:], v) }
func (m *memory) set32(a task.Addr, v uint32) {
	binary.LittleEndian.PutUint32(m.bytes[a-base:], v)
}

// file has one function of the runtime, and one of the program.
type file struct{ object.File }

const helper, worker = 0x500000, 0x500100

func (file) Symbol(vmaddr uint64) (object.Symbol, bool) {
	switch vmaddr &^ 0xff {
	case helper:
		return object.Symbol{Name: "runtime.runFinalizers", VMAddr: helper, Size: 0x100}, true
	case worker:
		return object.Symbol{Name: "main.worker", VMAddr: worker, Size: 0x100}, true
	}
	return object.Symbol{}, false
}

// The places of the goroutines, and of their stacks.
const (
	firstG     = base + 0x1000
	firstStack = base + 0x20000
	distanceG  = 0x400
	stackSize  = 0x800
)

func placeOf(i int) task.Addr    { return firstG + task.Addr(i)*distanceG }
func stackPlace(i int) task.Addr { return firstStack + task.Addr(i)*stackSize }
func newMemory(n int) *memory    { return &memory{bytes: make([]byte, 0x20000+(n+1)*stackSize)} }

// parked makes a runtime with goroutines that wait in the first reason.
func parked(n int) (*Runtime, *memory) {
	m := newMemory(n)
	l, _ := layoutOf("go1.26.1")
	r := &Runtime{
		Version: "go1.26.1", Known: true, memory: m, arch: task.AMD64, layout: l, length: base, list: base + 8,
		image: &images.Image{Placed: object.Placed{File: file{}}}, reasons: []string{"", "chan receive", "finalizer wait"},
	}
	m.set(base, uint64(n))
	m.set(base+8, base+16)
	for i := range n {
		g := placeOf(i)
		at := func(field int) task.Addr { return g + task.Addr(field) }
		m.set(task.Addr(base+16+8*i), uint64(g))
		m.set(at(stackLow), uint64(stackPlace(i)))
		m.set(at(stackHigh), uint64(stackPlace(i)+stackSize))
		m.set(at(l.sp), uint64(stackPlace(i)+stackSize-64))
		m.set(at(l.pc), worker+0x20)
		m.set(at(l.self), uint64(g))
		m.set32(at(l.status), uint32(isWaiting))
		m.bytes[at(l.reason)-base] = 1
		m.set(at(l.id), uint64(10+i))
		m.set(at(l.creator), worker+0x40)
		m.set(at(l.start), worker)
	}
	return r, m
}

func collect(t testing.TB, r *Runtime, onThread func(low, high task.Addr) bool) *Collection {
	t.Helper()
	c, err := r.Collect(Options{Unwinder: unwind.New(unwind.Options{}), Images: images.NewMap(nil), OnThread: onThread})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// summary is what tests compare.
func summary(c *Collection) string {
	text := ""
	for _, g := range c.Groups {
		text += fmt.Sprintf("%d×%d %q", g.Count, g.ID, g.Wait)
		if g.System {
			text += " system"
		}
		text += "; "
	}
	return text + fmt.Sprintf("running %d, torn %d, left out %d", c.Running, c.Torn, c.LeftOut)
}

// TestCollect reads goroutines in all states, and merges those that are alike.
func TestCollect(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Runtime, m *memory, set func(i, field int, v uint64))
		want   string
	}{
		"alike":         {func(*Runtime, *memory, func(int, int, uint64)) {}, `4×10 "chan receive"; running 0, torn 0, left out 0`},
		"one dead":      {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.status, uint64(isDead)) }, `3×11 "chan receive"; running 0, torn 0, left out 0`},
		"one for C":     {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.status, uint64(isExtra)) }, `3×11 "chan receive"; running 0, torn 0, left out 0`},
		"one runs":      {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(3, r.layout.status, uint64(isRunning)) }, `3×10 "chan receive"; running 1, torn 0, left out 0`},
		"one in a call": {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(3, r.layout.status, uint64(isInSyscall)) }, `3×10 "chan receive"; running 1, torn 0, left out 0`},
		"one ready":     {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.status, uint64(isRunnable)) }, `3×11 "chan receive"; 1×10 "runnable"; running 0, torn 0, left out 0`},
		"one leaked":    {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.status, uint64(isLeaked)) }, `3×11 "chan receive"; 1×10 "chan receive (leaked)"; running 0, torn 0, left out 0`},
		"one that is scanned": {func(r *Runtime, m *memory, set func(int, int, uint64)) {
			set(0, r.layout.status, uint64(isWaiting)|scanned)
		}, `4×10 "chan receive"; running 0, torn 0, left out 0`},
		"one being moved": {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.status, uint64(isCopied)) }, `3×11 "chan receive"; running 0, torn 1, left out 0`},
		"an unknown reason": {func(r *Runtime, m *memory, set func(int, int, uint64)) {
			m.bytes[placeOf(0)-base+task.Addr(r.layout.reason)] = 99
		}, `3×11 "chan receive"; 1×10 "unknown wait reason"; running 0, torn 0, left out 0`},
		"another creator": {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.creator, worker+0x60) }, `3×11 "chan receive"; 1×10 "chan receive"; running 0, torn 0, left out 0`},
		"not itself":      {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.self, 0) }, `3×11 "chan receive"; running 0, torn 1, left out 0`},
		"sp elsewhere":    {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.sp, 8) }, `3×11 "chan receive"; running 0, torn 1, left out 0`},
		"the runtime's own": {func(r *Runtime, m *memory, set func(int, int, uint64)) {
			set(0, r.layout.start, helper)
			m.bytes[placeOf(0)-base+task.Addr(r.layout.reason)] = 2
		}, `3×11 "chan receive"; 1×10 "finalizer wait" system; running 0, torn 0, left out 0`},
		"a finalizer":         {func(r *Runtime, m *memory, set func(int, int, uint64)) { set(0, r.layout.start, helper) }, `4×10 "chan receive"; running 0, torn 0, left out 0`},
		"more than are there": {func(r *Runtime, m *memory, set func(int, int, uint64)) { m.set(base, 1<<40) }, ""},
		"a list that is cut":  {func(r *Runtime, m *memory, set func(int, int, uint64)) { m.set(base+8, uint64(base+len(m.bytes)-8)) }, `running 0, torn 1, left out 3`},
	} {
		r, m := parked(4)
		c.change(r, m, func(i, field int, v uint64) {
			if field == r.layout.status {
				m.set32(placeOf(i)+task.Addr(field), uint32(v))
				return
			}
			m.set(placeOf(i)+task.Addr(field), v)
		})
		got := summary(collect(t, r, nil))
		if c.want != "" && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestAlikeOnARM64: there, too, goroutines with the same stack are in one group, and those that wait
// elsewhere in another.
func TestAlikeOnARM64(t *testing.T) {
	r, m := parked(4)
	r.arch = task.ARM64
	m.set(placeOf(3)+task.Addr(r.layout.pc), worker+0x24)
	if got, want := summary(collect(t, r, nil)), `3×10 "chan receive"; 1×13 "chan receive"; running 0, torn 0, left out 0`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestOnThread leaves out a goroutine whose stack a thread is on.
func TestOnThread(t *testing.T) {
	r, _ := parked(3)
	got := summary(collect(t, r, func(low, _ task.Addr) bool { return low == stackPlace(0) }))
	if want := `2×11 "chan receive"; running 0, torn 0, left out 0`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTorn reads a goroutine again that has changed while its stack was copied, three times at
// most.
func TestTorn(t *testing.T) {
	for changes, want := range map[int]string{
		2: `1×10 "chan receive"; running 0, torn 0, left out 0`,
		9: `running 0, torn 1, left out 0`,
	} {
		r, m := parked(1)
		left := changes
		m.read = func(a task.Addr) {
			if sp := placeOf(0) + task.Addr(r.layout.sp); a >= stackPlace(0) && left > 0 {
				left--
				m.set(sp, uint64(a)-8)
			}
		}
		if got := summary(collect(t, r, nil)); got != want {
			t.Errorf("%d changes: %s, want %s", changes, got, want)
		}
	}
}

// TestLayouts: rows are in the order of versions, a version between two rows has the layout of
// the lower one, and a newer version that of the newest.
func TestLayouts(t *testing.T) {
	if !slices.IsSortedFunc(layouts, func(a, b layout) int { return a.minor - b.minor }) {
		t.Error("not sorted")
	}
	for i := range layouts[1:] {
		a, b := layouts[i], layouts[i+1]
		if b.minor > a.minor+1 {
			a.minor = b.minor
			if a != b {
				t.Errorf("a version before 1.%d is missing", b.minor)
			}
		}
	}
	for version, want := range map[string]struct {
		minor int
		known bool
	}{
		"go1.18": {18, true}, "go1.19.13": {18, true}, "go1.26.1 X:jsonv2": {26, true}, "devel go1.99-a2b3c4": {layouts[len(layouts)-1].minor, false},
		"go1.17.13": {0, true}, "unknown": {0, false},
	} {
		l, known := layoutOf(version)
		if (l == nil) != (want.minor == 0) || l != nil && l.minor != want.minor || known != want.known {
			t.Errorf("%s: %+v, %v", version, l, known)
		}
	}
}

// TestAttachNone: there is no runtime in an image that is not a Go program or whose variables are
// not searched; for one without symbols the error says so.
func TestAttachNone(t *testing.T) {
	if _, err := Attach(&images.Image{}, &memory{}, task.Linux); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if _, err := Attach(&images.Image{Placed: object.Placed{File: unsearched{}}}, &memory{}, task.Linux); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	_, err := Attach(&images.Image{Placed: object.Placed{File: stripped{}}}, &memory{}, task.Linux)
	if err == nil || errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// unsearched is a Go program whose variables cannot be found by name.
type unsearched struct{ file }

func (unsearched) Section(object.Kind) (object.Section, error) { return object.Section{}, nil }
func (unsearched) Arch() task.Arch                             { return task.AMD64 }

// stripped has no symbols.
type stripped struct{ unsearched }

func (stripped) SymbolsOf(names ...string) []object.Symbol { return make([]object.Symbol, len(names)) }

// FuzzCollect: whatever the memory holds, reading ends, and nothing is counted twice.
func FuzzCollect(f *testing.F) {
	r, m := parked(4)
	f.Add(m.bytes[:0x4000])
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		hostile := *r
		hostile.memory, hostile.semaphoreTables = &memory{bytes: b}, []task.Addr{base}
		c, err := hostile.Collect(Options{Unwinder: unwind.New(unwind.Options{}), Images: images.NewMap(nil)})
		if err != nil {
			return
		}
		n := c.Running + c.Torn
		for _, g := range c.Groups {
			n += g.Count
		}
		if n > len(b)/8 {
			t.Errorf("%d goroutines in %d bytes", n, len(b))
		}
		hostile.allm = base + 16
		chains, _ := hostile.Chains(hostile.memory, nil)
		for id, chain := range chains {
			hostile.Goroutine(id, copied(hostile.memory, &chain), hostile.memory)
		}
		hostile.OnStacks(hostile.memory)
		hostile.findList([]task.Addr{base, base + 8, base + 16})
		hostile.findReasons([]task.Addr{base, base + 16})
		hostile.isThreads(base + 16)
		for i := range min(len(b), 64) {
			hostile.readReasons(base+task.Addr(i), uint64(len(b)))
			_, _ = readString(hostile.memory, base+task.Addr(i), maxVersion)
		}
	})
}
