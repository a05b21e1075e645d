package generated

import (
	"slices"

	"stacksnap/images/object"
)

// Names are the answers of a file as long as none of those that were given has
// become wrong. They are safe for concurrent use.
type Names struct {
	of *Reader
	// What was asked, by address, and the answers, under of's lock.
	asked   []uint64
	answers map[uint64]answer
	over    bool // an answer has become wrong: what was not asked has none
}

type answer struct {
	start, size uint64
	name        string
	file        string
	line        int
}

// maxAsked bounds the answers that are kept.
const maxAsked = 1 << 19

// Symbol names the code at an address: the same as the first time that this was
// asked.
func (n *Names) Symbol(a uint64) (object.Symbol, bool) {
	got := n.ask(a)
	return object.Symbol{Name: got.name, VMAddr: got.start, Size: got.size}, got.name != ""
}

// Source tells where in the source the code at an address is, if that is known: of
// what Symbol names there.
func (n *Names) Source(a uint64) []object.Source {
	got := n.ask(a)
	if got.name == "" || got.file == "" {
		return nil
	}
	return []object.Source{{Function: got.name, File: got.file, Line: got.line, Low: got.start, High: got.start + got.size}}
}

func (n *Names) ask(a uint64) answer {
	n.of.mu.Lock()
	defer n.of.mu.Unlock()
	got, known := n.answers[a]
	if !known && !n.over {
		got = n.of.answer(a)
		n.keep(a, got)
	}
	return got
}

func (n *Names) keep(a uint64, got answer) {
	if len(n.asked) == maxAsked {
		n.of.renew()
	}
	i, _ := slices.BinarySearch(n.asked, a)
	n.asked = slices.Insert(n.asked, i, a)
	n.answers[a] = got
}

// differ reports whether an answer in [start, end) is another by now.
func (n *Names) differ(start, end uint64) bool {
	from, to := n.within(start, end)
	if to-from > fewEntries {
		n.of.table.sort() // or each answer is looked for among many
	}
	return slices.ContainsFunc(n.asked[from:to], func(a uint64) bool { return n.answers[a] != n.of.answer(a) })
}

// within tells which of asked are in [start, end).
func (n *Names) within(start, end uint64) (from, to int) {
	from, _ = slices.BinarySearch(n.asked, start)
	to, _ = slices.BinarySearch(n.asked, end)
	return from, max(from, to)
}

func newNames(r *Reader) *Names { return &Names{of: r, answers: map[uint64]answer{}} }

// batch is what a reading has brought: the pieces of code or, where they are many,
// all of them.
type batch struct {
	pieces [][2]uint64
	all    bool
}

func (b *batch) add(start, end uint64) {
	const most = 256
	if len(b.pieces) == most {
		b.all = true
	}
	if !b.all {
		b.pieces = append(b.pieces, [2]uint64{start, end})
	}
}

// differ reports whether it made an answer wrong that was given.
func (b *batch) differ(n *Names) bool {
	if b.all {
		return n.differ(0, ^uint64(0))
	}
	asked := 0
	for _, p := range b.pieces {
		from, to := n.within(p[0], p[1])
		asked += to - from
	}
	if asked > len(n.asked) {
		return n.differ(0, ^uint64(0))
	}
	return slices.ContainsFunc(b.pieces, func(p [2]uint64) bool { return n.differ(p[0], p[1]) })
}
