package golang

// maxSteps limits the entries read of one pcdata table. The longest function of Go's
// own programs has some ten thousand.
const maxSteps = 1 << 20

// values iterates over a pcdata table: pairs of varints, the change of the value in
// zigzag encoding, starting from -1, and the number of instruction units it holds
// for. A change of 0 after the first pair ends the table.
type values struct {
	b     []byte
	unit  uint64
	end   uint64 // the value holds up to this distance from the function's start
	value int32
	steps int
}

// valuesAt returns an iterator over the table at an offset.
func (t *Table) valuesAt(at uint32) values {
	v := values{unit: t.quantum, value: -1}
	if uint64(at) < uint64(len(t.layout.values)) {
		v.b = t.layout.values[at:]
	}
	return v
}

// next advances to the next value.
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

// value returns a table's value at a distance from the function's start, -1 if it has
// none.
func (t *Table) value(table uint32, distance uint64) int32 {
	for v := t.valuesAt(table); v.next(); {
		if distance < v.end {
			return v.value
		}
	}
	return -1
}

// end returns the distance where a table ends.
func (t *Table) end(table uint32) uint64 {
	v := t.valuesAt(table)
	for v.next() {
	}
	return v.end
}
