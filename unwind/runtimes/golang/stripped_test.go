package golang

import (
	"encoding/binary"
	"fmt"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// code is where the functions of a stripped program are in the memory of the tests, and variables.
const (
	codeAt    = base + 0x7800
	variables = base + 0x7000
)

// TestReferences: the operands of instructions that name data, on both architectures.
func TestReferences(t *testing.T) {
	r, m := parked(1)
	r.image = &images.Image{Placed: object.Placed{File: file{}}}
	copy(m.bytes[codeAt-base:], []byte{
		0x48, 0x8b, 0x0d, 0x10, 0, 0, 0, // mov 0x10(%rip), %rcx
		0x48, 0x8d, 0x05, 0xf0, 0xff, 0xff, 0xff, // lea -0x10(%rip), %rax
		0x48, 0x8b, 0x0d, 0x02, 0, 0, 0, // mov 0x2(%rip), %rcx: the first once more
		0x48, 0x8b, 0x45, 0x08, // mov 8(%rbp), %rax
		0x06, 0x06, // no instruction
		0x48, 0x8b, 0x0d, 0x10, 0, 0, 0,
	})
	f := object.Symbol{Name: "f", VMAddr: codeAt, Size: 34}
	if got, want := fmt.Sprint(r.references(f)), fmt.Sprint([]task.Addr{codeAt + 0x17, codeAt + 14 - 0x10}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i, word := range []uint32{
		0xb000001b, 0xf9400b61, // adrp x27, page + 0x1000; ldr x1, [x27, #16]
		0xb000001b, 0x91004360, // add x0, x27, #16: the same
		0x9000001b, 0x3940137b, // adrp x27, page; ldrb w27, [x27, #4]
		0xf0ffffe0, 0x91000400, // adrp x0, page - 0x1000; add x0, x0, #1
		0x9000001b, 0xf9400801, // of another register
	} {
		binary.LittleEndian.PutUint32(m.bytes[codeAt-base+task.Addr(4*i):], word)
	}
	r.arch = task.ARM64
	f.Size = 40
	page := task.Addr(codeAt &^ 0xfff)
	if got, want := fmt.Sprint(r.references(f)), fmt.Sprint([]task.Addr{page + 0x1010, page + 4, page - 0x1000 + 1}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := r.references(object.Symbol{}); got != nil {
		t.Error(got)
	}
}

// inProgram has goroutines of a program whose image has their code, beginning with the main one.
func inProgram(n int) (*Runtime, *memory) {
	r, m := withThreads(n)
	r.image = &images.Image{Placed: object.Placed{File: file{}, Load: 0x400000}}
	m.set(placeOf(0)+task.Addr(r.layout.id), mainID)
	return r, m
}

// TestFindList: what is not a list of goroutines with the main one first is not taken for it.
func TestFindList(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Runtime, m *memory)
		want   bool
	}{
		"right":             {func(*Runtime, *memory) {}, true},
		"a dead one":        {func(r *Runtime, m *memory) { m.set32(placeOf(1)+task.Addr(r.layout.status), uint32(isDead)) }, true},
		"one being moved":   {func(r *Runtime, m *memory) { m.set32(placeOf(1)+task.Addr(r.layout.status), uint32(isCopied)) }, true},
		"another one first": {func(r *Runtime, m *memory) { m.set(placeOf(0)+task.Addr(r.layout.id), 2) }, false},
		"too long":          {func(_ *Runtime, m *memory) { m.set(base, 1<<40) }, false},
		"longer than it is": {func(_ *Runtime, m *memory) { m.set(base, 4) }, false},
		"empty":             {func(_ *Runtime, m *memory) { m.set(base, 0) }, false},
		"not itself":        {func(r *Runtime, m *memory) { m.set(placeOf(2)+task.Addr(r.layout.self), 0) }, false},
		"no such state":     {func(r *Runtime, m *memory) { m.set32(placeOf(2)+task.Addr(r.layout.status), 77) }, false},
		"without a number":  {func(r *Runtime, m *memory) { m.set(placeOf(2)+task.Addr(r.layout.id), 0) }, false},
		"without a stack":   {func(r *Runtime, m *memory) { m.set(placeOf(2)+stackHigh, 0) }, false},
		"in no code": {func(r *Runtime, m *memory) {
			m.set32(placeOf(2)+task.Addr(r.layout.status), uint32(isWaiting))
			m.set(placeOf(2)+task.Addr(r.layout.pc), 0x10)
		}, false},
	} {
		r, m := inProgram(3)
		c.change(r, m)
		r.length, r.list = 0, 0
		if got := r.findList([]task.Addr{variables, base + 8, base, 8}); got != c.want || got && (r.length != base || r.list != base+8) {
			t.Errorf("%s: %v, length at %v, list at %v", name, got, r.length, r.list)
		}
	}
}

// TestIsThreads: in the list of threads each has a goroutine that refers to it.
func TestIsThreads(t *testing.T) {
	r, m := inProgram(3)
	if r.isThreads(r.allm) || r.isThreads(8) {
		t.Error("threads without goroutines")
	}
	for i := range 3 {
		m.set(placeOfM(i), uint64(placeOf(i))) // as good as any: it refers to the thread
	}
	if !r.isThreads(r.allm) {
		t.Error("no threads")
	}
	m.set(placeOfM(2), uint64(placeOf(0)))
	if r.isThreads(r.allm) {
		t.Error("a goroutine of another thread")
	}
	m.set(r.allm, 0)
	if r.isThreads(r.allm) {
		t.Error("no threads are no list")
	}
}

// TestFindReasons: the table of wait reasons ends where its texts do.
func TestFindReasons(t *testing.T) {
	r, m := parked(1)
	texts := []string{"", "chan receive", "select", "semacquire", "a\nb", "later"}
	for i, text := range texts {
		at := variables + task.Addr(0x100+32*i)
		copy(m.bytes[at-base:], text)
		m.set(variables+task.Addr(16*i), uint64(at))
		m.set(variables+task.Addr(16*i+8), uint64(len(text)))
	}
	r.reasons = nil
	if !r.findReasons([]task.Addr{8, base, variables + 16, variables}) || len(r.reasons) != 4 || r.reasons[1] != "chan receive" {
		t.Errorf("%q", r.reasons)
	}
	if r.findReasons([]task.Addr{variables + 16, 8}) {
		t.Errorf("%q", r.reasons)
	}
}

// TestUnprovenSemaphores: of several candidates that is the table in which all that is there are queues.
func TestUnprovenSemaphores(t *testing.T) {
	r, m := parked(3)
	for i := range 3 {
		inQueue(r, m, i, mutexSema)
	}
	m.set(rootOf(r, mutexSema), uint64(placeOfSudog(0)))
	m.set(placeOfSudog(0)+task.Addr(r.layout.more), uint64(placeOfSudog(1)))
	m.set(placeOfSudog(1)+task.Addr(r.layout.more), uint64(placeOfSudog(2)))
	r.semaphoreTables, r.unproven = []task.Addr{8, tableAt + 64, tableAt}, true
	if got, want := seenObjects(collect(t, r, nil)), "3: 1 sync.Mutex 0x500000 0/0 0+0=3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	m.set(rootOf(r, 8), 8)
	r.semaphoreTables = []task.Addr{tableAt}
	if got := seenObjects(collect(t, r, nil)); got != "3: 0" {
		t.Error(got)
	}
}
