package golang

import "slices"

// module is the part of struct moduledata (runtime/symtab.go) that is used.
type module struct {
	text uint64   // start of code
	gofs []uint64 // candidates for gofunc, the likeliest first
}

// The fields of moduledata since Go 1.18 that are used, by word: pointers to the
// header and the slices of its parts, then three addresses, and text.
const (
	moduleNames   = 1
	moduleUnits   = 4
	moduleFiles   = 7
	moduleText    = 22
	moduleFunc118 = 38 // gofunc
	moduleFunc120 = 40
	moduleFunc127 = 43
	moduleWords   = 48 // words examined
)

// findModule searches the data for the table's moduledata.
func (t *Table) findModule() *module {
	if t.of.Data == nil {
		return nil
	}
	for b := range t.of.Data {
		for at := 0; at+moduleWords*t.word <= len(b); at += t.word {
			for _, p := range t.of.Pointers {
				if t.isModule(b[at:], p) {
					return t.readModule(b[at:], p)
				}
			}
		}
	}
	return nil
}

// isModule reports whether b starts like the table's moduledata: with pointers to the
// table and its parts.
func (t *Table) isModule(b []byte, pointer func(uint64) uint64) bool {
	if pointer(t.uint(b, t.word)) != t.of.VMAddr {
		return false
	}
	size := uint64(len(t.data))
	for field, part := range map[int][]byte{moduleNames: t.names, moduleUnits: t.units, moduleFiles: t.files} {
		if pointer(t.uint(b[field*t.word:], t.word)) != t.of.VMAddr+size-uint64(len(part)) {
			return false
		}
	}
	return true
}

func (t *Table) readModule(b []byte, pointer func(uint64) uint64) *module {
	word := func(i int) uint64 { return pointer(t.uint(b[i*t.word:], t.word)) }
	m := &module{text: word(moduleText)}
	fields := []int{moduleFunc120, moduleFunc118, moduleFunc127, 39, 41, 42}
	if t.version == go118 {
		slices.Reverse(fields[:2])
	}
	for _, i := range fields {
		m.gofs = append(m.gofs, word(i))
	}
	return m
}
