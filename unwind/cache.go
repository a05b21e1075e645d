package unwind

import (
	"errors"
	"slices"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// cacheBits is the base-2 logarithm of the number of cached rules.
const cacheBits = 12

// cache holds rules by pc. Each pc hashes to one slot. Entries are made when they are first used, some at
// a time: a single snapshot has few, and all of them would be a megabyte of memory to touch.
type cache struct {
	slots [1 << cacheBits]*entry
	made  []entry // those for slots that have none yet
}

// entriesMade is how many entries are made at a time.
const entriesMade = 32

// put makes an entry of a slot, like e.
func (c *cache) put(slot uint64, e *entry) *entry {
	if len(c.made) == 0 {
		c.made = make([]entry, entriesMade)
	}
	n := &c.made[0]
	c.made = c.made[1:]
	c.slots[slot], *n = n, *e
	return n
}

// entry says how to unwind from a pc.
type entry struct {
	// The key. A map never changes, so the same pc in it is the same code.
	pc    task.Addr
	in    *images.Map
	first bool

	image      *images.Image // nil: no image covers the pc; the code is JIT-compiled, or there is none
	executable bool
	guess      bool // no source covers the pc: the rule is the frame pointer's
	by         Method
	next       int   // index of the source to query if rule fails
	err        error // why no better source gave a rule
	rule       rule.Rule
	apart      apart
	unchanged  unchanged
}

func slot(pc task.Addr, first bool) uint64 {
	h := uint64(pc) * 0x9e3779b97f4a7c15 // 2^64 / φ: neighbours spread out
	if first {
		h = ^h
	}
	return h >> (64 - cacheBits)
}

// lookUp returns the entry of a pc. It stays valid until the second lookUp after this
// one.
func (u *Unwinder) lookUp(pc task.Addr, first bool) *entry {
	w := &u.walk
	at := slot(pc, first)
	e := u.cache.slots[at]
	if e != nil && e.pc == pc && e.in == w.in && e.first == first && e.in != nil {
		return e
	}
	n := u.fresh()
	u.fill(n, pc, first)
	if n.image == nil {
		return n
	}
	if e == nil {
		return u.cache.put(at, n)
	}
	if e == w.entry { // still needed by who asks
		return n
	}
	*e = *n
	return e
}

// keptMaps is the number of most recent maps whose rules stay in the cache.
const keptMaps = 16

// enter makes m one of the maps whose rules are cached, and drops the rules of the
// map that was entered longest ago. Its entries would otherwise keep that map alive,
// with everything read from its files.
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
	for _, e := range u.cache.slots {
		if e != nil && e.in == old {
			*e = entry{}
		}
	}
	u.spare = [2]entry{}
}

// fresh returns scratch space for an entry, other than the one it returned last.
func (u *Unwinder) fresh() *entry {
	u.turn ^= 1
	return &u.spare[u.turn]
}

// fill computes the entry of a pc.
func (u *Unwinder) fill(e *entry, pc task.Addr, first bool) {
	*e = entry{pc: pc, in: u.walk.in, first: first}
	if e.image, e.executable = u.place(lookUpAt(pc, first)); e.executable {
		u.ask(e, 0)
	} else {
		u.guess(e)
	}
}

// place returns the image at a, nil if none, and whether a is executable.
func (u *Unwinder) place(a task.Addr) (im *images.Image, executable bool) {
	if m := u.walk.in; m != nil {
		if im, r, ok := m.Range(a); ok {
			return im, r.Prot&task.Execute != 0
		}
	}
	return nil, u.opts.Executable != nil && u.opts.Executable(a)
}

// lookUpAt returns the address to look a frame up by: its pc, or for a frame in a
// call the last byte of the call. The return address itself may belong to the next
// function, when the callee does not return.
func lookUpAt(pc task.Addr, first bool) task.Addr {
	if first {
		return pc
	}
	return pc - 1
}

// ask fills in the rule of the first source, from number i on, that has one.
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

// guess falls back to the frame-pointer chain.
func (u *Unwinder) guess(e *entry) {
	e.rule, e.by, e.guess = rule.FramePointer(u.walk.arch), ByFramePointer, true
	e.next = len(u.opts.Sources)
	if e.err == nil {
		e.err = rule.ErrNone
	}
}
