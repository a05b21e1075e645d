package recording

import (
	"bytes"
	"encoding/binary"

	"stacksnap/task"
)

// predict fills dst, a range that starts at base, with what stacks had at its
// addresses. It returns how many bytes it copied.
func predict(dst []byte, base task.Addr, stacks []task.Stack) (copied int) {
	last := base + task.Addr(len(dst))
	for i := range stacks {
		s := &stacks[i]
		from, to := max(base, s.Base), min(last, s.End())
		if from < to {
			copied += copy(dst[from-base:to-base], s.Bytes[from-s.Base:])
		}
	}
	return copied
}

// word is the unit in which stacks are compared, in bytes.
const word = 8

// appendStack appends a stack as its difference from the thread's stacks before.
// scratch is a buffer, and is returned.
func appendStack(b []byte, s *task.Stack, before []task.Stack, scratch []byte) (out, room []byte) {
	b = appendUintIf(b, 1, uint64(s.Base))
	b = appendUintIf(b, 2, uint64(len(s.Bytes)))
	b = appendUintIf(b, 3, uint64(s.Top))
	scratch = append(scratch[:0], s.Bytes...)
	for i := range scratch {
		scratch[i] = ^scratch[i] // differs unless predicted
	}
	predict(scratch, s.Base, before)
	for at, written := 0, 0; ; {
		at += equal(s.Bytes[at:], scratch[at:])
		if at == len(s.Bytes) {
			return b, scratch
		}
		n := different(s.Bytes[at:], scratch[at:])
		var start int
		b, start = begin(b, 4)
		b = appendUintIf(b, 1, uint64(at-written))
		b = appendBytes(b, 2, s.Bytes[at:at+n])
		b = end(b, start)
		at += n
		written = at
	}
}

// equal returns the length of the common prefix of a and b, in whole words or to
// their end.
func equal(a, b []byte) int {
	for i := 0; ; i += word {
		if i+word > len(a) {
			if bytes.Equal(a[i:], b[i:]) {
				return len(a)
			}
			return i
		}
		if binary.LittleEndian.Uint64(a[i:]) != binary.LittleEndian.Uint64(b[i:]) {
			return i
		}
	}
}

// different returns the number of bytes before two consecutive equal words; a single
// one is not worth a new edit.
func different(a, b []byte) int {
	for i := 0; i < len(a); i += word {
		if same := equal(a[i:], b[i:]); same >= 2*word || i+same == len(a) {
			return i
		}
	}
	return len(a)
}

// parseStack decodes a stack of a thread whose stacks before are given.
func parseStack(data []byte, before []task.Stack) (task.Stack, error) {
	var s task.Stack
	var size uint64
	given := 0
	m := newMessage(data)
	for m.next() {
		switch m.field {
		case 1:
			s.Base = task.Addr(m.n)
		case 2:
			size = m.n
		case 3:
			s.Top = task.Addr(m.n)
		case 4:
			given += len(m.data)
		}
	}
	if m.err != nil || size == 0 {
		return s, m.err
	}
	// Every byte is in an edit or was there before, so that no more is allocated than
	// was recorded.
	if size > task.MaxStackLimit || uint64(s.Base)+size-1 < uint64(s.Base) {
		return s, errTooBig
	}
	for i := range before {
		given += len(before[i].Bytes)
	}
	if size > uint64(given) {
		return s, errReused
	}
	s.Bytes = make([]byte, size)
	predict(s.Bytes, s.Base, before)
	return s, edit(s.Bytes, data)
}

// edit applies the edits in a stack's message.
func edit(b, data []byte) error {
	at := uint64(0)
	m := newMessage(data)
	for m.next() {
		if m.field != 4 {
			continue
		}
		var data []byte
		e := newMessage(m.data)
		for e.next() {
			switch e.field {
			case 1:
				at += min(e.n, uint64(len(b)))
			case 2:
				data = e.data
			}
		}
		m.fail(e.err)
		if at > uint64(len(b)) || copy(b[at:], data) < len(data) {
			return errTooBig
		}
		at += uint64(len(data))
	}
	return m.err
}
