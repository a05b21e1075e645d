package recording

import (
	"encoding/binary"
	"errors"
	"testing"

	"stacksnap/task"
)

// times returns n fields of these bytes.
func times(n, field int, data []byte) (b []byte) {
	for range n {
		b = appendBytes(b, field, data)
	}
	return b
}

// TestBoundsOfAThread are those that no writer comes near, each by one.
func TestBoundsOfAThread(t *testing.T) {
	registers := func(n int) []byte { return appendBytes(nil, 11, make([]byte, n)) }
	stack := binary.AppendUvarint(appendTag(nil, 1, wireVarint), 0x1000)
	for name, of := range map[string]struct{ most, more []byte }{
		"registers": {registers(task.MaxRegisters), registers(task.MaxRegisters + 1)},
		"stacks":    {times(maxStacks, 13, stack), times(maxStacks+1, 13, stack)},
	} {
		if _, err := new(thread).change(of.most); err != nil {
			t.Errorf("as many %s as there may be: %v", name, err)
		}
		if _, err := new(thread).change(of.more); !errors.Is(err, errTooBig) {
			t.Errorf("one more of the %s: %v", name, err)
		}
	}
}

// TestEditsStayInTheStack, one by one and all together.
func TestEditsStayInTheStack(t *testing.T) {
	at := func(skip uint64, data string) []byte {
		return appendBytes(nil, 4, appendBytes(appendUint(nil, 1, skip), 2, data))
	}
	for _, of := range []struct {
		name  string
		edits []byte
		ok    bool
	}{
		{"to the end", at(8, "12345678"), true},
		{"behind the end", at(9, "12345678"), false},
		{"two, to the end", append(at(0, "12345678"), at(4, "1234")...), true},
		{"two, behind the end", append(at(8, "1234"), at(5, "")...), false},
		{"far away twice", append(at(1<<40, ""), at(1<<40, "")...), false},
	} {
		if err := edit(make([]byte, 16), of.edits); (err == nil) != of.ok {
			t.Errorf("%s: error %v", of.name, err)
		}
	}
}

// TestStackOfNothing claims bytes that nobody told.
func TestStackOfNothing(t *testing.T) {
	claim := appendUint(appendUint(nil, 1, 0x1000), 2, 64)
	if _, err := parseStack(claim, nil); !errors.Is(err, errReused) {
		t.Errorf("64 bytes out of nothing: %v", err)
	}
	wrap := appendUint(appendUint(nil, 1, ^uint64(0)-62), 2, 64)
	if _, err := parseStack(appendBytes(wrap, 4, appendBytes(nil, 2, make([]byte, 64))), nil); !errors.Is(err, errTooBig) {
		t.Errorf("a stack over the end of the address space: %v", err)
	}
	region := appendUint(appendUint(nil, 1, ^uint64(0)-15), 2, 64)
	if r, err := parseRegion(region); err != nil || r.End != ^task.Addr(0) {
		t.Errorf("a region over the end of the address space is %v, %v", r, err)
	}
}
