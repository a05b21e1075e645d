package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"stacksnap/task"
)

const (
	maxName = 1 << 10 // characters of a function's name
	maxPath = 4 << 10 // characters of a file's
)

// readString reads a str of at most limit characters.
func (l *layout) readString(m task.Memory, a task.Addr, limit int) (string, error) {
	u := &l.unicode
	head := make([]byte, max(u.length+8, u.state+4))
	if err := task.ReadFull(m, head, a); err != nil {
		return "", err
	}
	length := binary.LittleEndian.Uint64(head[u.length:])
	if length > uint64(limit) {
		return "", fmt.Errorf("a string of %d characters at %v", length, a)
	}
	width, offset, err := u.characters(binary.LittleEndian.Uint32(head[u.state:]))
	if err != nil {
		return "", fmt.Errorf("string at %v: %w", a, err)
	}
	b := make([]byte, int(length)*width)
	if err := task.ReadFull(m, b, a+task.Addr(offset)); err != nil {
		return "", err
	}
	return decode(b, width), nil
}

var errNotCompact = errors.New("neither ASCII nor compact")

// characters returns the bytes of a character, and where the first one is. The state has
// the kind (3 bits), compact and ascii.
func (u *unicodeLayout) characters(state uint32) (width, offset int, err error) {
	kind, compact, ascii := state>>u.kind&7, state>>(u.kind+3)&1, state>>(u.kind+4)&1
	if compact == 0 || kind != 1 && kind != 2 && kind != 4 || ascii == 1 && kind != 1 {
		return 0, 0, errNotCompact
	}
	if ascii == 1 {
		return 1, u.ascii, nil
	}
	return int(kind), u.compact, nil
}

// decode makes UTF-8 of characters of a width in bytes.
func decode(b []byte, width int) string {
	var s strings.Builder
	for ; len(b) >= width; b = b[width:] {
		var c uint32
		switch width {
		case 1:
			c = uint32(b[0])
		case 2:
			c = uint32(binary.LittleEndian.Uint16(b))
		case 4:
			c = binary.LittleEndian.Uint32(b)
		}
		writeCharacter(&s, c)
	}
	return s.String()
}

// writeCharacter writes a character. Bytes of file names that are not UTF-8 are in a str
// as U+DC80 to U+DCFF (PEP 383).
func writeCharacter(s *strings.Builder, c uint32) {
	switch {
	case c >= 0xdc80 && c <= 0xdcff:
		s.WriteByte(byte(c))
	case c > utf8.MaxRune || utf16.IsSurrogate(rune(c)):
		s.WriteRune(utf8.RuneError)
	default:
		s.WriteRune(rune(c))
	}
}
