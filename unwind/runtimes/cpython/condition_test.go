package cpython

import (
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

// TestMeets: what a thread did follows from the copies alone, and from what None is.
func TestMeets(t *testing.T) {
	const gil, interp, state, item, outer, none, noneType, name, other, id = 0x2000, 0x3000, 0x4000, 0x4800, 0x4900, 0x5000, 0x5100, 0x5200, 0x5300, 42
	for what, test := range map[string]struct {
		change func(block)
		meets  map[runtimes.Condition]bool
	}{
		"nothing":                {func(block) {}, nil},
		"holds the GIL":          {func(b block) { b.put(gil+gilHolder, state); b.put(gil+gilLocked, 1) }, map[runtimes.Condition]bool{runtimes.HoldsLock: true}},
		"held it last":           {func(b block) { b.put(gil+gilHolder, state) }, nil},
		"another holds it":       {func(b block) { b.put(gil+gilHolder, state+8); b.put(gil+gilLocked, 1) }, nil},
		"it is changing":         {func(b block) { b.put(gil+gilHolder, state); b.put(gil+gilLocked, 1); b.put(gil+gilMutex, 2) }, nil},
		"another collects":       {func(b block) { b.put(interp+312, 1) }, nil},
		"collects":               {func(b block) { b.put(gil+gilHolder, state); b.put(gil+gilLocked, 1); b.put(interp+312, 1) }, map[runtimes.Condition]bool{runtimes.HoldsLock: true, runtimes.CollectsGarbage: true}},
		"raises":                 {func(b block) { b.put(state+96, other) }, map[runtimes.Condition]bool{runtimes.HandlesException: true}},
		"handles":                {func(b block) { b.put(item, other) }, map[runtimes.Condition]bool{runtimes.HandlesException: true}},
		"a caller of it handles": {func(b block) { b.put(item+8, outer); b.put(outer, other) }, map[runtimes.Condition]bool{runtimes.HandlesException: true}},
		"has handled":            {func(b block) { b.put(item, none); b.put(item+8, outer) }, nil},
		"in a circle":            {func(b block) { b.put(item+8, item); b.put(item, other) }, nil},
		"not mapped":             {func(b block) { b.put(interp+384, 1<<40); b.put(state+104, 1<<40) }, nil},
	} {
		b := make(block, 0x5000)
		b.put(interp+384, gil)
		b.put(state+104, item)
		b.put(none+8, noneType)
		b.put(noneType+24, name)
		copy(b[name-0x1000:], "NoneType")
		test.change(b)
		l, _ := layoutOf(12)
		p := &Instance{layout: l, states: map[task.ThreadID]threadState{id: {at: state, interp: interp}}}
		for _, c := range []runtimes.Condition{runtimes.HoldsLock, runtimes.HandlesException, runtimes.CollectsGarbage} {
			asked, err := p.Evidence(c, b)
			if err != nil {
				t.Fatal(err)
			}
			var evidence []task.CopiedChain
			for _, chain := range asked[id] {
				evidence = append(evidence, copied(b, &chain))
			}
			if got := p.Meets(c, id, evidence, b); got != test.meets[c] {
				t.Errorf("%s: %v: %t", what, c, got)
			}
		}
	}
}

// copied copies a chain of at most eight objects.
func copied(m task.Memory, c *task.Chain) (out task.CopiedChain) {
	at, size := c.At, c.Size
	for i := 0; at != 0; i++ {
		o := task.Object{At: at, Bytes: make([]byte, size)}
		if i == 8 || task.ReadFull(m, o.Bytes, at) != nil {
			out.Cut = true
			break
		}
		out.Objects = append(out.Objects, o)
		if len(c.Links) == 0 {
			break
		}
		link := c.Links[min(i, len(c.Links)-1)]
		at, size = o.Pointer(link.Offset), link.Size
	}
	return out
}

// TestNoGIL: of a build without one it is not known who holds it.
func TestNoGIL(t *testing.T) {
	p := &Instance{layout: layout{exceptions: exceptionsOf(13)}}
	for c, known := range map[runtimes.Condition]bool{runtimes.HoldsLock: false, runtimes.CollectsGarbage: false, runtimes.HandlesException: true} {
		if _, err := p.Evidence(c, nil); (err == nil) != known {
			t.Errorf("%v: %v", c, err)
		}
	}
}
