package analysis

import (
	"cmp"
	"slices"
	"sort"
	"sync"
	"unsafe"
	"weak"

	"stacksnap/images"
	"stacksnap/task"
)

// known is the result of a run: the state at the start of each block that was
// reached, from which the state at any pc is quickly computed.
type known struct {
	spans  []span // sorted by off, without overlap
	states []state
	bad    []uint16 // block.origin of the blocks that return with another frame
	fell   bool
	fault  error
}

// span is a block that was reached.
type span struct {
	off, end uint32
	state    uint32 // index in known.states
	origin   uint16
}

// keptBytes limits the memory for results, in bytes.
const keptBytes = 4 << 20

// knowns caches results by function. The zero value is empty and ready for use, by
// many goroutines at once.
type knowns struct {
	mu    sync.Mutex
	of    map[knownKey]*known
	bytes int
}

// knownKey identifies a function in a mode. The code of an image never changes.
type knownKey struct {
	image weak.Pointer[images.Image]
	start task.Addr
	size  int
	mode
}

// find returns the result for a function. Without one it returns nil, and whether the
// function was looked up before.
func (k *knowns) find(key knownKey) (v *known, again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v, again = k.of[key]; !again {
		k.put(key, nil, int(unsafe.Sizeof(key)))
	}
	return v, again
}

func (k *knowns) keep(key knownKey, v *known) {
	size := int(unsafe.Sizeof(*v)) + len(v.bad)*2 +
		len(v.spans)*int(unsafe.Sizeof(span{})) + len(v.states)*int(unsafe.Sizeof(state{}))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.put(key, v, size)
}

// put adds an entry to the cache. It empties the cache first if the entry would
// exceed keptBytes.
func (k *knowns) put(key knownKey, v *known, size int) {
	if k.of == nil || k.bytes+size > keptBytes {
		k.of, k.bytes = map[knownKey]*known{}, 0
	}
	k.of[key] = v
	k.bytes += size
}

// solve is like run, with a cache. It keeps results only for functions that are
// looked up a second time.
func (w *walk) solve() error {
	if w.knowns == nil || w.query.Image == nil {
		return w.run()
	}
	key := knownKey{weak.Make(w.query.Image), w.start, len(w.code), w.mode}
	k, again := w.knowns.find(key)
	if k != nil {
		return w.recall(k)
	}
	err := w.run()
	if again {
		if k, ok := w.known(); ok {
			w.knowns.keep(key, k)
		}
	}
	return err
}

// known returns the result of a run. It reports false if blocks overlap, as in data:
// the state then depends on the order in which they ran.
func (w *walk) known() (*known, bool) {
	k := &known{fell: w.fell, fault: w.fault}
	if w.fault != nil {
		return k, true
	}
	for i := range w.blocks {
		b := &w.blocks[i]
		if !b.seen {
			continue
		}
		k.spans = append(k.spans, span{b.off, b.end, uint32(i), b.origin})
		if b.bad && !slices.Contains(k.bad, b.origin) {
			k.bad = append(k.bad, b.origin)
		}
	}
	slices.SortFunc(k.spans, func(a, b span) int { return cmp.Compare(a.off, b.off) })
	for i := range k.spans {
		if i > 0 && k.spans[i-1].end > k.spans[i].off {
			return nil, false
		}
		k.spans[i].state = k.number(&w.blocks[k.spans[i].state].in)
	}
	k.spans, k.states = slices.Clip(k.spans), slices.Clip(k.states)
	return k, true
}

// nearby is how many of the last states are compared with a new one. Most blocks have
// the state of one nearby.
const nearby = 4

// number returns the index of s in k.states, which it appends if it is not among the
// last.
func (k *known) number(s *state) uint32 {
	for i := len(k.states) - 1; i >= max(len(k.states)-nearby, 0); i-- {
		if k.states[i] == *s {
			return uint32(i)
		}
	}
	k.states = append(k.states, *s)
	return uint32(len(k.states) - 1)
}

// recall computes from k what run would for the current pc.
func (w *walk) recall(k *known) error {
	w.found, w.fell = false, k.fell
	if k.fault != nil {
		return k.fault
	}
	i := sort.Search(len(k.spans), func(i int) bool { return k.spans[i].end > w.pc })
	if i == len(k.spans) {
		return ErrUnreached
	}
	w.again(&k.spans[i], &k.states[k.spans[i].state])
	switch {
	case !w.found:
		return ErrUnreached
	case slices.Contains(k.bad, 0), slices.Contains(k.bad, w.hereFrom):
		return ErrUnbalanced
	}
	return nil
}

// again executes a block up to pc, without passing its state on.
func (w *walk) again(p *span, in *state) {
	w.blocks, w.at, w.guessing = w.blocks[:0], w.at[:0], true
	b := block{off: p.off, end: p.off, origin: p.origin}
	s := &w.now
	*s = *in
	w.anchor(s)
	for !w.found && b.end < p.end && w.carryOut(&b, s) {
	}
}
