package exidx

import (
	"encoding/binary"
	"errors"
	"fmt"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Why there is no rule for code that the index covers.
var (
	// ErrCantUnwind: the function is listed as one that cannot be unwound.
	ErrCantUnwind = fmt.Errorf("the function is listed as one that cannot be unwound: %w", rule.ErrNone)
	// ErrMalformed: the tables contradict themselves or use undefined values.
	ErrMalformed = errors.New("malformed .ARM.exidx or .ARM.extab")
)

// maxProgram is the maximum length of an unwind program in bytes: three or two in the
// first word, and 255 more words (EHABI, 7.3, 10.2).
const maxProgram = 3 + 4*255

// program returns a function's unwind instructions.
func (e *entry) program(im *images.Image, code task.Memory) ([]byte, error) {
	switch {
	case e.word == cantUnwind:
		return nil, ErrCantUnwind
	case e.word&inline != 0:
		return compact(e.word, nil)
	}
	at := im.Addr(uint64(prel31(e.word, e.at)))
	var head [8]byte
	n, err := code.ReadMemory(head[:], at)
	first := binary.LittleEndian.Uint32(head[:])
	if first&inline != 0 {
		return compact(first, func(p []byte) error { return task.ReadFull(code, p, at+4) })
	}
	// A personality routine of the language's own is followed by the same
	// instructions, in every format that GNU's and LLVM's run time know: the number
	// of words, then three.
	if n < len(head) {
		return nil, err
	}
	return words(binary.LittleEndian.Uint32(head[4:]), 3, func(p []byte) error { return task.ReadFull(code, p, at+8) })
}

// compact returns the instructions in a word and in those after it. The word names
// one of the ABI's personality routines: for 0 it has three instructions; for 1 and 2
// it has two, and the number of further words (EHABI, 7.3, 10.3), which more reads.
// more is nil if no word can follow.
func compact(word uint32, more func([]byte) error) ([]byte, error) {
	switch index := word >> 24 & 0x7f; {
	case index == 0:
		return []byte{byte(word >> 16), byte(word >> 8), byte(word)}, nil
	case index <= 2 && more != nil:
		return words(word<<8, 2, more)
	}
	return nil, fmt.Errorf("%w: no personality routine %d", ErrMalformed, word>>24&0x7f)
}

// words returns n instructions from the low bytes of word, then those of the further
// words, whose number is word's highest byte. more reads those words.
func words(word uint32, n int, more func([]byte) error) ([]byte, error) {
	program := make([]byte, n, maxProgram)
	for i := range program {
		program[i] = byte(word >> (16 - 8*i))
	}
	program = program[:n+4*int(word>>24)]
	rest := program[n:]
	if err := more(rest); err != nil {
		return nil, err
	}
	for ; len(rest) > 0; rest = rest[4:] { // within a word the highest byte comes first
		binary.BigEndian.PutUint32(rest, binary.LittleEndian.Uint32(rest))
	}
	return program, nil
}
