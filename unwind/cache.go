package unwind

import (
	"errors"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// cacheBits is the logarithm of how many rules are kept.
const cacheBits = 12

// cache keeps rules by pc, each in the one slot that its pc leads to.
type cache [1 << cacheBits]entry

// entry is how to leave the code at a pc.
type entry struct {
	// What it is of. A map never changes, so the same pc in it is the same code.
	pc    task.Addr
	in    *images.Map
	first bool

	image      *images.Image // nil: none, the code is a JIT compiler's or none
	executable bool
	guess      bool // nothing covers the pc: the rule is the frame pointer's
	by         Method
	next       int   // the source to ask when rule turns out wrong
	err        error // why better sources than by gave no rule
	rule       rule.Rule
	apart      apart
}

func slot(pc task.Addr, first bool) uint64 {
	h := uint64(pc) * 0x9e3779b97f4a7c15 // 2^64 / φ: neighbours spread out
	if first {
		h = ^h
	}
	return h >> (64 - cacheBits)
}

// lookUp returns the entry of a pc. It is valid until the second look-up after.
func (u *Unwinder) lookUp(pc task.Addr, first bool) *entry {
	w := &u.walk
	e := &u.cache[slot(pc, first)]
	if e.pc == pc && e.in == w.in && e.first == first && e.in != nil {
		return e
	}
	n := u.fresh()
	u.fill(n, pc, first)
	if n.image == nil {
		return n
	}
	if e == w.entry { // still needed by who asks
		return n
	}
	*e = *n
	return e
}

// keptMaps is how many maps rules are kept of: the last that were new.
const keptMaps = 16

// enter makes room for rules of a map. Those of a map that has not been walked in
// for long are dropped: each would keep the map, with all that was read of its
// files, until by chance the same slot is used again.
func (u *Unwinder) enter(m *images.Map) {
	if m == nil || slices.Contains(u.maps[:], m) {
		return
	}
	old := u.maps[u.oldest]
	u.maps[u.oldest] = m
	u.oldest = (u.oldest + 1) % keptMaps
	if old == nil {
		return
	}
	for i := range u.cache {
		if u.cache[i].in == old {
			u.cache[i] = entry{}
		}
	}
	u.spare = [2]entry{}
}

// fresh returns room for an entry, other than the last time.
func (u *Unwinder) fresh() *entry {
	u.turn ^= 1
	return &u.spare[u.turn]
}

// fill finds out what an entry must say.
func (u *Unwinder) fill(e *entry, pc task.Addr, first bool) {
	*e = entry{pc: pc, in: u.walk.in, first: first}
	if e.image, e.executable = u.place(lookUpAt(pc, first)); e.executable {
		u.ask(e, 0)
	} else {
		u.guess(e)
	}
}

// place tells in which image an address is, if in any, and whether code is there.
func (u *Unwinder) place(a task.Addr) (im *images.Image, executable bool) {
	if m := u.walk.in; m != nil {
		if im, r, ok := m.Range(a); ok {
			return im, r.Prot&task.Execute != 0
		}
	}
	return nil, u.opts.Executable != nil && u.opts.Executable(a)
}

// lookUpAt returns the address that stands for a frame: that of an instruction,
// or the last byte of the call, because a call that does not return may be the
// last instruction of its function.
func lookUpAt(pc task.Addr, first bool) task.Addr {
	if first {
		return pc
	}
	return pc - 1
}

// ask fills in the first rule that the sources from number i on have.
func (u *Unwinder) ask(e *entry, i int) {
	q := u.query(e)
	for ; i < len(u.opts.Sources); i++ {
		s := u.opts.Sources[i]
		r, err := s.Source.Rule(q)
		if err == nil && r.Valid() {
			e.rule, e.by, e.next = r, s.By, i+1
			return
		}
		if e.err == nil && err != nil && !errors.Is(err, rule.ErrNone) {
			e.err = err
		}
	}
	u.guess(e)
}

func (u *Unwinder) query(e *entry) rule.Query {
	return rule.Query{
		Arch: u.walk.arch, Image: e.image, PC: lookUpAt(e.pc, e.first), First: e.first, Code: u.walk.code,
	}
}

// guess fills in the frame-pointer chain, for want of anything better.
func (u *Unwinder) guess(e *entry) {
	e.rule, e.by, e.guess = rule.FramePointer(u.walk.arch), ByFramePointer, true
	e.next = len(u.opts.Sources)
	if e.err == nil {
		e.err = rule.ErrNone
	}
}
