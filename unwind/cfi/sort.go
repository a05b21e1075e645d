package cfi

// digitBits is how many bits of a start one pass of the sort uses. Two passes sort 16
// MiB of code.
const digitBits = 12

// sorted returns the index sorted by start, and by offset among equal starts. It is a
// radix sort, least digit first: if a hundredth of the entries are out of order, a
// comparison sort takes longer than reading the section.
func (ix index) sorted() index {
	low, spread, inOrder := ix.extent()
	if inOrder {
		return ix
	}
	from, to := ix, make(index, len(ix))
	for shift := 0; spread>>shift != 0; shift += digitBits {
		from.deal(to, low, shift)
		from, to = to, from
	}
	return from
}

// extent returns the lowest start, the distance from there to the highest, and
// whether the index is sorted.
func (ix index) extent() (low, spread uint64, inOrder bool) {
	low, high, inOrder := ^uint64(0), uint64(0), true
	for i := range ix {
		start := ix[i].start
		inOrder = inOrder && start >= high
		low, high = min(low, start), max(high, start)
	}
	return low, high - low, inOrder
}

// deal copies ix to a slice of the same length, sorted by the digit at shift of the
// distance from low.
func (ix index) deal(to index, low uint64, shift int) {
	const mask = 1<<digitBits - 1
	var next [1 << digitBits]uint32 // index of the next entry with a digit
	for i := range ix {
		next[(ix[i].start-low)>>shift&mask]++
	}
	at := uint32(0)
	for digit, n := range next {
		next[digit] = at
		at += n
	}
	for i := range ix {
		p := &next[(ix[i].start-low)>>shift&mask]
		to[*p] = ix[i]
		*p++
	}
}
