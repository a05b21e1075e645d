package golang

// maxSteps bounds how far a table of values is run. The longest function of Go's own
// programs has some ten thousand.
const maxSteps = 1 << 20

// values runs through a table of values: pairs of varints, by how much the value
// differs from that before, at first -1, zigzag, and for how many instruction units
// it holds; a difference of 0 that is not the first ends it.
type values struct {
	b     []byte
	unit  uint64
	end   uint64 // the value holds up to this distance from the function's start
	value int32
	steps int
}

// valuesAt starts with the table at an offset.
func (t *Table) valuesAt(at uint32) values {
	v := values{unit: t.quantum, value: -1}
	if uint64(at) < uint64(len(t.layout.values)) {
		v.b = t.layout.values[at:]
	}
	return v
}

// next goes to the next value.
func (v *values) next() bool {
	delta, ok := v.varint()
	if !ok || delta == 0 && v.steps > 0 || v.steps == maxSteps {
		return false
	}
	units, ok := v.varint()
	if !ok {
		return false
	}
	v.steps++
	v.value += int32(delta>>1) ^ -int32(delta&1)
	v.end += uint64(units) * v.unit
	return true
}

func (v *values) varint() (n uint32, ok bool) {
	for i := 0; i < len(v.b) && i < 5; i++ {
		n |= uint32(v.b[i]&0x7f) << (7 * i)
		if v.b[i] < 0x80 {
			v.b = v.b[i+1:]
			return n, true
		}
	}
	return 0, false
}

// value returns what a table has at a distance from the function's start, -1 where it
// has nothing.
func (t *Table) value(table uint32, distance uint64) int32 {
	for v := t.valuesAt(table); v.next(); {
		if distance < v.end {
			return v.value
		}
	}
	return -1
}

// end returns the distance at which a table ends.
func (t *Table) end(table uint32) uint64 {
	v := t.valuesAt(table)
	for v.next() {
	}
	return v.end
}
