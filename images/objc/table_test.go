package objc

import (
	"encoding/binary"
	"testing"
)

// image is a memory that has code at 0x1000 and metadata behind it.
type image struct {
	b     []byte
	reads int
}

func (m *image) read(p []byte, vmaddr uint64) int {
	m.reads++
	if vmaddr >= uint64(len(m.b)) {
		return 0
	}
	return copy(p, m.b[vmaddr:])
}

func (m *image) put(at int, v uint64) { binary.LittleEndian.PutUint64(m.b[at:], v) }

func (m *image) image(classes Range) Image {
	return Image{
		Read:         m.read,
		Pointer:      func(_, value uint64) Pointer { return Pointer{Target: value} },
		Code:         func(vmaddr uint64) bool { return vmaddr >= 0x1000 && vmaddr < 0x2000 },
		SelectorBase: func(uint64) uint64 { return 0 },
		Classes:      []Range{classes},
		Keep:         func(uint64) bool { return true },
		Take:         func(uint64) bool { return true },
	}
}

// oneClass has a class A, with the method go at 0x1100, at 0x2000.
func oneClass() *image {
	m := &image{b: make([]byte, 0x4000)}
	m.put(0x2000+classData, 0x2100)
	m.put(0x2100+roName, 0x2200)
	m.put(0x2100+roMethods, 0x2300)
	copy(m.b[0x2200:], "A\x00go")
	m.put(0x2300, 1<<32|bigSize)
	m.put(0x2308, 0x2202)
	m.put(0x2318, 0x1100)
	m.put(0x2400, 0x2000)
	return m
}

var oneList = Range{0x2400, 8}

func TestOneMethod(t *testing.T) {
	table := Open(oneClass().image(oneList))
	if name, ok := table.Name(0x1100); !ok || name != "-[A go]" || table.Len() != 1 {
		t.Errorf("%q, %v; %d methods", name, ok, table.Len())
	}
	for at, want := range map[uint64]bool{0x10ff: false, 0x1100: true, 0x1fff: true} {
		if start, ok := table.Start(at); ok != want || ok && start != 0x1100 {
			t.Errorf("%#x: %#x, %v", at, start, ok)
		}
	}
	if _, ok := table.Name(0x1101); ok {
		t.Error("a name of what does not begin there")
	}
	var none *Table
	if _, ok := none.Name(0); ok || none.Len() != 0 {
		t.Error("no table has methods")
	}
}

// TestNoMethod: what is not as it must be is left out.
func TestNoMethod(t *testing.T) {
	for name, spoil := range map[string]func(*image){
		"no class":             func(m *image) { m.put(0x2400, 0) },
		"class elsewhere":      func(m *image) { m.put(0x2400, 0x9000) },
		"a metaclass":          func(m *image) { m.put(0x2100, flagMeta) },
		"realized to itself":   func(m *image) { m.put(0x2100, flagRealized); m.put(0x2108, 0x2100) },
		"extended to itself":   func(m *image) { m.put(0x2100, flagRealized); m.put(0x2108, 0x2109) },
		"no name":              func(m *image) { m.put(0x2100+roName, 0) },
		"a name of two words":  func(m *image) { copy(m.b[0x2200:], "A go") },
		"a name with no end":   func(m *image) { m.put(0x2100+roName, 0x3fff); m.b[0x3fff] = 'A' },
		"no list":              func(m *image) { m.put(0x2100+roMethods, 0) },
		"entries of 16 bytes":  func(m *image) { m.put(0x2300, 1<<32|16) },
		"too many methods":     func(m *image) { m.put(0x2300, (maxList+1)<<32|bigSize) },
		"a list behind itself": func(m *image) { m.put(0x2100+roMethods, 0x2301) },
		"no code":              func(m *image) { m.put(0x2318, 0x2100) },
		"no selector":          func(m *image) { m.put(0x2308, 0) },
		"direct, from nowhere": func(m *image) { m.put(0x2300, 1<<32|flagSmall|flagDirect|smallSize) },
		"small, of no code":    func(m *image) { m.put(0x2300, 1<<32|flagSmall|smallSize); m.put(0x2310, 0) },
	} {
		m := oneClass()
		spoil(m)
		if table := Open(m.image(oneList)); table.Len() != 0 {
			method, _ := table.Name(0x1100)
			t.Errorf("%s: %d methods, %s", name, table.Len(), method)
		}
	}
	m := oneClass()
	m.b[0x2203] = '\n'
	if name, ok := Open(m.image(oneList)).Name(0x1100); ok {
		t.Errorf("%q is no name", name)
	}
}

// TestManyClasses: classes that all have the same list of methods, as long as one may
// be, take bounded time and memory.
func TestManyClasses(t *testing.T) {
	const classes, entries = 0x200000, 1 << 15
	m := oneClass()
	m.b = append(m.b, make([]byte, classes+8*entries+64*entries-len(m.b))...)
	m.put(0x2300, maxList<<32|bigSize)
	for i := range maxList {
		m.put(0x2308+i*bigSize, 0x2202)
		m.put(0x2318+i*bigSize, uint64(0x1000+i%0x1000))
	}
	for i := range entries {
		class := classes + 8*entries + 64*i
		m.put(classes+8*i, uint64(class))
		m.put(class+classData, 0x2100)
	}
	kept := uint64(0)
	im := m.image(Range{classes, 8 * entries})
	im.Keep = func(n uint64) bool { kept += n; return true }
	table := Open(im)
	if table.Len() != 0x1000 || kept < maxMethods*methodBytes || kept > maxMethods*methodBytes+entries*64 || m.reads > maxReads {
		t.Errorf("%d methods, %d bytes, %d reads", table.Len(), kept, m.reads)
	}
}
