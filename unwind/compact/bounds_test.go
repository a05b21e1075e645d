package compact

import (
	"errors"
	"testing"

	"stacksnap/task"
)

// TestPageOutOfOrder ends before it starts: nothing in it is believed.
func TestPageOutOfOrder(t *testing.T) {
	b := small()
	b[45] = 0x08 // the second page, where the first ends, from 0x800 on
	table, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.page(0); !errors.Is(err, errOrder) {
		t.Errorf("error %v", err)
	}
}

// TestEncodingBehindThoseOfThePage is none, whatever stands there.
func TestEncodingBehindThoseOfThePage(t *testing.T) {
	for index, want := range map[byte]error{1: nil, 2: errEncoding, 0xff: errEncoding} {
		b := small()
		b[87] = index // of the first page's second entry; one encoding is common
		table, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := table.Lookup(0x1010); !errors.Is(err, want) {
			t.Errorf("encoding %d: %+v, %v", index, e, err)
		}
	}
}

// TestFrameMadeAtOnce: its size stands in the first instruction.
func TestFrameMadeAtOnce(t *testing.T) {
	text := []byte{0x48, 0x81, 0xec, 0x38, 0x12, 0, 0} // sub $0x1238, %rsp
	for encoding, ok := range map[Encoding]bool{0x03030000: true, 0x03020000: false} {
		f := function{encoding: encoding, offset: 64, first: true, start: 0x1000, code: bytesAt{0x1000, text}}
		if r, err := f.rule(task.AMD64); (err == nil) != ok || ok && r.Format(task.AMD64) != "cfa = sp + 4664; pc = *(cfa - 8)" {
			t.Errorf("%#08x: %s, %v", uint32(encoding), r.Format(task.AMD64), err)
		}
	}
}
