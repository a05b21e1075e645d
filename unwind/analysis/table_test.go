package analysis

import (
	"encoding/binary"
	"testing"
)

// words is code of n nops with words in it, each at its place.
func words(n int, at map[int]int32) *walk {
	w := &walk{machine: &amd64, code: make([]byte, n), at: make([]uint16, n)}
	for i := range w.code {
		w.code[i] = 0x90
	}
	for off, word := range at {
		binary.LittleEndian.PutUint32(w.code[off:], uint32(word))
	}
	return w
}

func TestRefer(t *testing.T) {
	for _, c := range []struct {
		name string
		at   map[int]int32
		to   int64
		want bool
	}{
		{"two words that lead to code", map[int]int32{32: -32, 36: 20}, 32, true},
		{"one", map[int]int32{32: -32}, 32, false},
		{"the second alone", map[int]int32{36: -32}, 32, false},
		{"before the function", map[int]int32{32: -33, 36: 20}, 32, false},
		{"to its last byte", map[int]int32{32: 31, 36: 20}, 32, true},
		{"behind the function", map[int]int32{32: 32, 36: 20}, 32, false},
		{"into the table", map[int]int32{32: 0, 36: 4}, 32, false},
		{"behind the word", map[int]int32{32: 4, 36: 8}, 32, true},
		{"at the end", map[int]int32{56: -32, 60: -31}, 56, true},
		{"over the end", map[int]int32{57: -32}, 57, false},
		{"behind the end", nil, 64, false},
		{"before the instruction", map[int]int32{4: 30, 8: 30}, 4, false},
		{"where a jump leads", map[int]int32{40: -32, 44: 10}, 40, false},
	} {
		w := words(64, c.at)
		w.at[40] = 1 // a block
		w.refer(c.to, 16)
		got := false
		for _, mark := range w.at {
			got = got || mark == isTable
		}
		if got != c.want || got && w.at[c.to] != isTable {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestBehindTable(t *testing.T) {
	for _, c := range []struct {
		name string
		at   map[int]int32
		next int // another table's begin
		want uint32
	}{
		{"a word that leads nowhere", map[int]int32{32: -32, 36: -30, 40: -20}, 0, 44},
		{"another table, whose words lead to code from here, too", map[int]int32{32: -32, 36: -30, 40: -20, 44: -20}, 40, 40},
		{"the end of the code", map[int]int32{52: -32, 56: -30, 60: -20}, 0, 64},
	} {
		w := words(64, c.at)
		from := uint32(32)
		if c.at[32] == 0 {
			from = 52
		}
		w.at[from] = isTable
		if c.next > 0 {
			w.at[c.next] = isTable
		}
		if got := w.behindTable(from); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
