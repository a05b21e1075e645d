package jitdump

import (
	"bytes"
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// codeMemory has the code that a dump tells of, from start to end, but for a part.
type codeMemory struct {
	start, end  task.Addr
	from, until task.Addr // of the others
}

func (m codeMemory) ReadMemory(p []byte, a task.Addr) (n int, err error) {
	for ; n < len(p); n++ {
		switch at := a + task.Addr(n); {
		case at < m.start || at >= m.end:
			return n, &task.FaultError{Addr: at}
		case at >= m.from && at < m.until:
			p[n] = ^codeAt(uint64(at))
		default:
			p[n] = codeAt(uint64(at))
		}
	}
	return n, nil
}

// TestCodeOfAnother: code has the name of a record as long as most of what stands about
// the address is what the record has.
func TestCodeOfAnother(t *testing.T) {
	const start, size, end = 0x10000, 0x1000, 0x11000
	dump := func() *writer {
		w := begin(binary.LittleEndian, reservedOfV8, 8).load(0x8000, 0x20, 1, "first").other(77, 500)
		return w.load(start, size, 2, "f")
	}
	long := string(bytes.Repeat([]byte("n"), maxName))
	for name, c := range map[string]struct {
		dump  *writer
		mem   task.Memory
		at    uint64
		named bool
	}{
		"the same":                   {dump(), codeMemory{start: start, end: end}, start + 0x800, true},
		"another":                    {dump(), codeMemory{start, end, start, end}, start + 0x800, false},
		"a quarter is other":         {dump(), codeMemory{start, end, start + 0x800, start + 0x900}, start + 0x800, true},
		"more than that":             {dump(), codeMemory{start, end, start + 0x800, start + 0x901}, start + 0x800, false},
		"other code is far":          {dump(), codeMemory{start, end, start, start + 0x600}, start + 0x800, true},
		"other code is far above":    {dump(), codeMemory{start, end, start + 0xa00, end}, start + 0x800, true},
		"at its start":               {dump(), codeMemory{start, end, start, start + 0x80}, start, true},
		"at its start, another":      {dump(), codeMemory{start, end, start, start + 0x81}, start, false},
		"at its end":                 {dump(), codeMemory{start, end, end - 0x80, end}, end - 1, true},
		"at its end, another":        {dump(), codeMemory{start, end, end - 0x81, end}, end - 1, false},
		"nothing to be read":         {dump(), codeMemory{}, start + 0x800, true},
		"no memory":                  {dump(), nil, start + 0x800, true},
		"moved, which changes calls": {dump().move(start, 0x20000, size, 2), codeMemory{0x20000, 0x30000, 0x20000, 0x30000}, 0x20800, true},
		"a name that is cut": {
			begin(binary.LittleEndian, reservedOfV8, 8).load(start, size, 1, long), codeMemory{start, end, start, end}, start + 0x800, true,
		},
	} {
		_, r := reading(c.dump.b)
		if c.mem != nil {
			r.Compare(c.mem)
		}
		update(t, r)
		if s, ok := r.Names().Symbol(c.at); ok != c.named {
			t.Errorf("%s: %.20q", name, s.Name)
		}
	}
}

// TestCodeOfAnotherInParts: the bytes of code are found also in what is read later.
func TestCodeOfAnotherInParts(t *testing.T) {
	w := begin(binary.LittleEndian, reservedOfV8, 8).load(0x8000, 0x20, 1, "first")
	f, r := reading(bytes.Clone(w.b))
	r.Compare(codeMemory{0x8000, 0x20000, 0x9000, 0x20000})
	update(t, r)
	f.set(w.load(0x8100, 0x100, 2, "same").load(0x9000, 0x100, 3, "other").b)
	update(t, r)
	for at, want := range map[uint64]string{0x8010: "first", 0x8180: "same", 0x9080: ""} {
		if s, _ := r.Names().Symbol(at); s.Name != want {
			t.Errorf("%#x: %q, want %q", at, s.Name, want)
		}
	}
}
