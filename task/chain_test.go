package task

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heap is memory from 0x1000 to 0x9000 whose words of 8 bytes are 0, but for those listed.
type heap map[Addr]Addr

func (h heap) ReadMemory(p []byte, a Addr) (int, error) {
	const end = 0x9000
	for i := range p {
		at := a + Addr(i)
		if at < 0x1000 || at >= end {
			return i, &FaultError{Addr: at}
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(h[at&^7]))
		p[i] = word[at&7]
	}
	return len(p), nil
}

func places(c CopiedChain) (list []Addr) {
	for _, o := range c.Objects {
		list = append(list, o.At)
	}
	return list
}

func TestChains(t *testing.T) {
	h := heap{0x2010: 0x3000, 0x3008: 0x3800, 0x3820: 0x3ff0, 0x4010: 0x5000, 0x6010: 0x6000, 0x7010: 0x8ffc}
	links := []Link{{Offset: 0x10, Size: 16}, {Offset: 8, Size: 0x30}, {Offset: 0x20, Size: 0x40}}
	for name, test := range map[string]struct {
		chain Chain
		want  []Addr
		cut   bool
	}{
		"each link leads to its object":  {Chain{At: 0x2000, Size: 0x20, Links: links}, []Addr{0x2000, 0x3000, 0x3800, 0x3ff0, 0x5000}, false},
		"without links":                  {Chain{At: 0x2000, Size: 8}, []Addr{0x2000}, false},
		"not readable":                   {Chain{At: 0x100, Size: 8}, nil, true},
		"beyond the copied bytes":        {Chain{At: 0x2000, Size: 0x12, Links: links}, []Addr{0x2000}, false},
		"an object that ends unreadable": {Chain{At: 0x7000, Size: 0x20, Links: links}, []Addr{0x7000}, true},
		"too large":                      {Chain{At: 0x2000, Size: maxObjectSize + 1, Links: links}, nil, true},
	} {
		var r chainRoom
		r.reserve(maxChains)
		got := r.copyAll(h, nil, []Chain{test.chain})
		if d := cmp.Diff(test.want, places(got[0])); d != "" || got[0].Cut != test.cut {
			t.Errorf("%s: cut %t, want %t\n%s", name, got[0].Cut, test.cut, d)
		}
	}
}

// TestChainInACircle ends, and leaves room for others.
func TestChainInACircle(t *testing.T) {
	h := heap{0x6010: 0x6000}
	circle := Chain{At: 0x6000, Size: 0x20, Links: []Link{{Offset: 0x10, Size: 0x20}}}
	var r chainRoom
	r.reserve(fewObjects / 16)
	got := r.copyAll(h, nil, []Chain{circle, circle, {Runtime: 3, At: 0x2000, Size: 8}})
	if len(got[0].Objects) != maxChainObjects || !got[0].Cut {
		t.Errorf("%d objects of a circle, cut %t", len(got[0].Objects), got[0].Cut)
	}
	if len(got) != 3 || got[2].Runtime != 3 || len(got[2].Objects) != 1 {
		t.Errorf("behind circles: %v", got[2])
	}
}

// TestChainReads are bounded for all chains of a stop together.
func TestChainReads(t *testing.T) {
	h := heap{0x2010: 0x4000, 0x4010: 0x6000, 0x6010: 0x8000, 0x8010: 0x5000, 0x5010: 0x7000, 0x7010: 0x2000}
	apart := Chain{At: 0x2000, Size: 0x20, Links: []Link{{Offset: 0x10, Size: 0x20}}} // each object is on another page
	var r chainRoom
	r.reserve(1 << 10)
	n := 0
	for range 4 {
		n += len(r.copyAll(h, nil, []Chain{apart})[0].Objects)
	}
	if n != maxChainReads || r.reads < n {
		t.Errorf("%d objects by %d reads", n, r.reads)
	}
	if r.clear(); len(r.copyAll(h, nil, []Chain{{At: 0x2000, Size: 8}})[0].Objects) != 1 {
		t.Error("nothing is read after a clear")
	}
}

// TestChainBetweenPages: a chain that leads from an interpreter's memory to the native stack and back,
// upwards as well as downwards, has each page read once.
func TestChainBetweenPages(t *testing.T) {
	h := heap{0x2010: 0x4800, 0x4810: 0x7800, 0x7810: 0x4400, 0x4410: 0x7900, 0x7910: 0x4a00}
	var r chainRoom
	r.reserve(2)
	got := r.copyAll(h, nil, []Chain{{At: 0x2000, Size: 0x20, Links: []Link{{Offset: 0x10, Size: 0x20}}}})[0]
	if len(got.Objects) != 6 || got.Cut || r.reads != 3 {
		t.Errorf("%d objects by %d reads", len(got.Objects), r.reads)
	}
	r.copyAll(h, nil, []Chain{{At: 0x2000, Size: 0x20}})
	if r.reads != 4 {
		t.Error("another thread's chain is not read anew")
	}
}

// TestCopiedBytes are those of the target, also in what is kept of a chain.
func TestCopiedBytes(t *testing.T) {
	h := heap{0x2000: 0x1122334455667788, 0x2010: 0x3000, 0x3008: 0x99}
	var r, own chainRoom
	r.reserve(1)
	got := own.keep(r.copyAll(h, nil, []Chain{{At: 0x2000, Size: 0x18, Links: []Link{{Offset: 0x10, Size: 0x10}, {Offset: 0, Size: 8}}}}))
	r.reserve(1)
	r.copyAll(h, nil, []Chain{{At: 0x4000, Size: 0x18}}) // over what was copied
	if v := got[0].Objects[0].Pointer(0); v != 0x1122334455667788 {
		t.Errorf("first word %v", v)
	}
	if v := got[0].Objects[1].Pointer(8); v != 0x99 {
		t.Errorf("word of the second object %v", v)
	}
	for _, offset := range []int{-1, 9, 1 << 40} {
		if v := got[0].Objects[1].Pointer(offset); v != 0 {
			t.Errorf("at %d: %v", offset, v)
		}
	}
}

func TestCopyingChainsAllocatesNothing(t *testing.T) {
	h := heap{0x6010: 0x6000}
	chains := []Chain{{At: 0x6000, Size: 0x20, Links: []Link{{Offset: 0x10, Size: 0x20}}}}
	var m Memory = h
	var r chainRoom
	r.reserve(64)
	if n := testing.AllocsPerRun(10, func() { r.clear(); r.copyAll(m, nil, chains) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestChainThatRuns holds as long as the same objects are linked, and what is fixed in them is as before.
func TestChainThatRuns(t *testing.T) {
	chain := Chain{At: 0x2000, Size: 0x18, Links: []Link{
		{Offset: 0x10, Size: 0x20, Fixed: []int{8}}, {Offset: 0x10, Size: 0x20, Fixed: []int{8, 0x18}},
	}}
	for name, test := range map[string]struct {
		at    Addr // of a word that changes
		holds bool
	}{
		"nothing":                                {0x8000, true},
		"what the first object does not lead by": {0x2008, true},
		"what moves in the second":               {0x3018, true},
		"the link to the second":                 {0x2010, false},
		"what is fixed in the second":            {0x3008, false},
		"the link to the third":                  {0x3010, false},
		"what is fixed in the third":             {0x4018, false},
		"that it ends there":                     {0x4010, false},
	} {
		h := heap{0x2010: 0x3000, 0x3010: 0x4000}
		var r chainRoom
		r.reserve(1)
		got := r.copyAll(h, nil, []Chain{chain})
		h[test.at] = 0x5000
		if holds := r.holds(h, []Chain{chain}, got); holds != test.holds {
			t.Errorf("%s changes: holds %t", name, holds)
		}
	}
	var r chainRoom
	r.reserve(1)
	if gone := []Chain{{At: 0x100, Size: 8}}; r.holds(heap{}, gone, r.copyAll(heap{}, nil, gone)) {
		t.Error("a chain that could not be read holds")
	}
}

// TestChainOnACopiedStack: objects that a copy of the stack has are not read again.
func TestChainOnACopiedStack(t *testing.T) {
	h := heap{0x2010: 0x4000, 0x4010: 0x6010, 0x6020: 0x2800}
	stack := make([]byte, 0x800)
	binary.LittleEndian.PutUint64(stack[0x20:], 0x2800)
	chain := []Chain{{At: 0x2000, Size: 0x20, Links: []Link{{Offset: 0x10, Size: 0x20}}}}
	for name, c := range map[string]struct {
		stacks []Stack
		reads  int
	}{
		"whole":         {[]Stack{{Base: 0x6000, Bytes: stack}}, 2},
		"not copied":    {nil, 3},
		"cut within it": {[]Stack{{Base: 0x6000, Bytes: stack[:0x28]}}, 3},
	} {
		var r chainRoom
		r.reserve(1)
		got := r.copyAll(h, c.stacks, chain)[0]
		if want := []Addr{0x2000, 0x4000, 0x6010, 0x2800}; !cmp.Equal(want, places(got)) || r.reads != c.reads {
			t.Errorf("%s: %v by %d reads, want %v by %d", name, places(got), r.reads, want, c.reads)
		}
	}
}
