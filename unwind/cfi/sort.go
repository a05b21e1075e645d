package cfi

// digitBits is how many bits of a start one pass of the sort goes by: two passes are
// enough for 16 MiB of code.
const digitBits = 12

// sorted returns the index in the order of starts; of equal ones, in that of the
// section. It is a radix sort, least digit first: one that compares takes longer than
// the reading of the section, if a hundredth of it is out of order.
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

// extent returns the lowest start, how far above it the highest is, and whether all are
// in order.
func (ix index) extent() (low, spread uint64, inOrder bool) {
	low, high, inOrder := ^uint64(0), uint64(0), true
	for i := range ix {
		start := ix[i].start
		inOrder = inOrder && start >= high
		low, high = min(low, start), max(high, start)
	}
	return low, high - low, inOrder
}

// deal copies ix to a slice as long, in the order of one digit of the distance from low.
func (ix index) deal(to index, low uint64, shift int) {
	const mask = 1<<digitBits - 1
	var next [1 << digitBits]uint32 // where the next one with a digit goes
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
