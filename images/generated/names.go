package generated

import (
	"slices"

	"stacksnap/images/object"
)

// Names are the names in a file at one time. A Names stays valid until an answer it
// gave becomes wrong; then the Reader makes a new one. It is safe for concurrent use.
type Names struct {
	of *Reader
	// The addresses looked up so far, sorted, and the answers. Guarded by of's lock.
	asked   []uint64
	answers map[uint64]answer
	over    bool // an answer has become wrong; addresses not looked up before have none
}

type answer struct {
	start, size uint64
	name        string
	file        string
	line        int
}

// maxAsked is the maximum number of answers kept.
const maxAsked = 1 << 19

// Symbol returns the code at an address. The answer for an address never changes.
func (n *Names) Symbol(a uint64) (object.Symbol, bool) {
	got := n.ask(a)
	return object.Symbol{Name: got.name, VMAddr: got.start, Size: got.size}, got.name != ""
}

// Source returns the source line at an address, of the function that Symbol returns
// there, or nil if it is not known.
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

// differ reports whether the file now gives another answer for an address in [start,
// end).
func (n *Names) differ(start, end uint64) bool {
	from, to := n.within(start, end)
	if to-from > fewEntries {
		n.of.table.sort() // otherwise each answer is searched for among many
	}
	return slices.ContainsFunc(n.asked[from:to], func(a uint64) bool { return n.answers[a] != n.of.answer(a) })
}

// within returns the indices in asked of the addresses in [start, end).
func (n *Names) within(start, end uint64) (from, to int) {
	from, _ = slices.BinarySearch(n.asked, start)
	to, _ = slices.BinarySearch(n.asked, end)
	return from, max(from, to)
}

func newNames(r *Reader) *Names { return &Names{of: r, answers: map[uint64]answer{}} }

// batch is the pieces of code added by one Update; all is set if there are many.
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

// differ reports whether the batch contradicts an answer already given.
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
