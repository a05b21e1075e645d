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

// known is what run has found of a function, from which it is soon told for any place
// in it: what is known at the start of each block that was reached.
type known struct {
	spans  []span // by off, none over another
	states []state
	bad    []uint16 // block.origin of those that return with another frame
	fell   bool
	fault  error
}

// span is a block that was reached.
type span struct {
	off, end uint32
	state    uint32 // in known.states
	origin   uint16
}

// keptBytes bounds the memory of what is known of functions.
const keptBytes = 4 << 20

// knowns keeps what is known of functions. The zero value is empty and ready, and is
// used by many goroutines at once.
type knowns struct {
	mu    sync.Mutex
	of    map[knownKey]*known
	bytes int
}

// knownKey is what a known is of: the code of an image never changes.
type knownKey struct {
	image weak.Pointer[images.Image]
	start task.Addr
	size  int
	mode
}

// find returns what is kept of a function; nil and whether it was asked for before
// where that is nothing.
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

// put begins anew when there is too much.
func (k *knowns) put(key knownKey, v *known, size int) {
	if k.of == nil || k.bytes+size > keptBytes {
		k.of, k.bytes = map[knownKey]*known{}, 0
	}
	k.of[key] = v
	k.bytes += size
}

// solve is run, or what it has found before. Only of functions that are asked for again
// anything is kept.
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

// known is what a run has found. It reports false where blocks lie over each other, as
// in what is no code: then it matters which was looked at last.
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

// nearby bounds how many states are looked at for one that is equal: most blocks know
// what one nearby knows.
const nearby = 4

// number is where s is in k.states, perhaps from now on.
func (k *known) number(s *state) uint32 {
	for i := len(k.states) - 1; i >= max(len(k.states)-nearby, 0); i-- {
		if k.states[i] == *s {
			return uint32(i)
		}
	}
	k.states = append(k.states, *s)
	return uint32(len(k.states) - 1)
}

// recall does what run has done when k was found, for another pc.
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

// again carries out a block up to pc, and brings nothing to others.
func (w *walk) again(p *span, in *state) {
	w.blocks, w.at, w.guessing = w.blocks[:0], w.at[:0], true
	b := block{off: p.off, end: p.off, origin: p.origin}
	s := &w.now
	*s = *in
	w.anchor(s)
	for !w.found && b.end < p.end && w.carryOut(&b, s) {
	}
}
