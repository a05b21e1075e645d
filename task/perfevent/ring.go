package perfevent

// ring is the data of a ring that is written backwards: its size is a power of two,
// and positions in it are taken modulo that.
type ring []byte

// newest copies the newest sample's record from head on, where the older ones are
// behind it, into to. It returns how far behind head
// the copy ends, and nil where there is no sample: the record of a timer that was
// slowed down, or is on time again, may stand before it, and behind all there are
// zeros, or what is left of records that were written over.
func (r ring) newest(head uint64, to []byte) (record []byte, end int) {
	const records = 8 // that are looked at
	for range records {
		r.copy(to[:headerSize], head+uint64(end))
		kind, size := headerOf(to)
		if size < headerSize || size%headerSize != 0 || end+size > len(r) || size > len(to) {
			break
		}
		if end += size; kind == recordSample {
			r.copy(to[:size], head+uint64(end-size))
			return to[:size], end
		}
	}
	return nil, 0
}

// copy fills p with what stands from a position on.
func (r ring) copy(p []byte, at uint64) {
	n := copy(p, r[at&uint64(len(r)-1):])
	copy(p[n:], r)
}

// stood reports whether what was copied as the ring's head was at was not written over
// meanwhile, as its head is now: neither by records that are whole by now, nor by
// one that may be being written.
func (r ring) stood(at, now uint64, end int) bool {
	return at-now+uint64(end)+maxWritten(len(r)) <= uint64(len(r))
}

// A ring has room for so many of the largest records that are written to it.
const largestInRing = 4

func maxWritten(ring int) uint64 { return uint64(ring / largestInRing) }

// The bytes of stack that may be asked for. With either records fill a ring.
const (
	FirstStack = 16<<10 - besideStack
	MaxStack   = 64<<10 - besideStack // a record has less than 64 KB
)

// besideStack is more than a record has beside the copy of the stack.
const besideStack = 1024

// ringFor returns how large a ring is for copies of so many bytes of stack.
func ringFor(stack int) int {
	size := 4 << 10
	for size < largestInRing*(stack+besideStack) {
		size *= 2
	}
	return size
}
