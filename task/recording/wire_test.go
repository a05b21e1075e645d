package recording

import (
	"encoding/binary"
	"errors"
	"testing"
)

// TestFieldsOfEveryKind are those of the wire format, whose numbers protobuf.dev lists
// under Encoding: a later version may have fields of any kind that it knows.
func TestFieldsOfEveryKind(t *testing.T) {
	last := []byte{2 << 3, 7} // field 2, a varint
	for name, of := range map[string]struct {
		field []byte
		n     uint64
		data  string
		err   bool
	}{
		"varint":        {[]byte{1 << 3, 0x96, 0x01}, 150, "", false},
		"64 bits":       {binary.LittleEndian.AppendUint64([]byte{1<<3 | 1}, 1<<63|5), 1<<63 | 5, "", false},
		"bytes":         {append([]byte{1<<3 | 2, 3}, "abc"...), 0, "abc", false},
		"a group":       {[]byte{1<<3 | 3}, 0, "", true},
		"a group's end": {[]byte{1<<3 | 4}, 0, "", true},
		"32 bits":       {binary.LittleEndian.AppendUint32([]byte{1<<3 | 5}, 1<<31|5), 1<<31 | 5, "", false},
		"kind 6":        {[]byte{1<<3 | 6}, 0, "", true},
		"kind 7":        {[]byte{1<<3 | 7}, 0, "", true},
	} {
		m := newMessage(append(of.field, last...))
		ok := m.next()
		if ok == of.err || of.err != errors.Is(m.err, errWire) {
			t.Errorf("%s: read %t, error %v", name, ok, m.err)
			continue
		}
		if of.err {
			continue
		}
		if m.field != 1 || m.n != of.n && of.data == "" || string(m.data) != of.data && of.data != "" {
			t.Errorf("%s: field %d is %d, %q", name, m.field, m.n, m.data)
		}
		if !m.next() || m.field != 2 || m.n != 7 {
			t.Errorf("%s: behind it is field %d, %d", name, m.field, m.n)
		}
		if m.next() || m.err != nil {
			t.Errorf("%s: it does not end: %v", name, m.err)
		}
	}
}

// TestFieldsThatAreCut end in the middle.
func TestFieldsThatAreCut(t *testing.T) {
	for name, b := range map[string][]byte{
		"varint": {1 << 3, 0x96}, "64 bits": {1<<3 | 1, 1, 2, 3, 4, 5, 6, 7}, "bytes": {1<<3 | 2, 3, 'a', 'b'}, "32 bits": {1<<3 | 5, 1, 2, 3}, "tag": {0x80},
	} {
		if m := newMessage(b); m.next() || m.err == nil {
			t.Errorf("%s: field %d is %d, %q", name, m.field, m.n, m.data)
		}
	}
}
