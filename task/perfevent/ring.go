package perfevent

// ring is the data of a ring buffer that is written backwards. Its size is a power of
// two, and positions are taken modulo that.
type ring []byte

// newest copies the newest sample's record into to, and returns how far after head it
// ends; nil if there is no sample. Records start at head, the newest first. The
// record of a throttled timer may precede the sample, and after the last record there
// are zeros, or remains of overwritten records.
func (r ring) newest(head uint64, to []byte) (record []byte, end int) {
	const records = 8 // records examined
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

// copy fills p with the bytes from a position on.
func (r ring) copy(p []byte, at uint64) {
	n := copy(p, r[at&uint64(len(r)-1):])
	copy(p[n:], r)
}

// intact reports whether what was copied when the head was at has not been overwritten
// since, with the head now at now: neither by complete records, nor by one that is
// being written.
func (r ring) intact(at, now uint64, end int) bool {
	return at-now+uint64(end)+maxWritten(len(r)) <= uint64(len(r))
}

// A ring has room for this many of the largest records.
const largestInRing = 4

func maxWritten(ring int) uint64 { return uint64(ring / largestInRing) }

// Limits of the stack bytes that may be requested. Records of both sizes fill a ring.
const (
	FirstStack = 16<<10 - besideStack
	MaxStack   = 64<<10 - besideStack // a record has less than 64 KB
)

// besideStack is an upper bound of a record's size without the copy of the stack.
const besideStack = 1024

// ringFor returns the size of a ring for copies of stack bytes.
func ringFor(stack int) int {
	size := 4 << 10
	for size < largestInRing*(stack+besideStack) {
		size *= 2
	}
	return size
}
