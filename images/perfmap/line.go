package perfmap

import (
	"bytes"

	"stacksnap/images/generated"
)

// parseLine decodes a line without its newline.
func parseLine(line []byte) (generated.Entry, bool) {
	start, rest, ok := hex(line)
	if !ok {
		return generated.Entry{}, false
	}
	size, rest, ok := hex(rest)
	name := generated.Name(rest)
	if !ok || size == 0 || start+size < start || name == "" {
		return generated.Entry{}, false
	}
	return generated.Entry{Start: start, End: start + size, Name: name}, true
}

// hex decodes a number and the blanks after it, at least one.
func hex(b []byte) (n uint64, rest []byte, ok bool) {
	const most = 16 // digits
	if len(b) > 2 && b[0] == '0' && b[1]|0x20 == 'x' {
		b = b[2:]
	}
	i := 0
	for ; i < len(b) && b[i] != ' '; i++ {
		d, ok := digit(b[i])
		if !ok || i == most {
			return 0, nil, false
		}
		n = n<<4 | uint64(d)
	}
	if i == 0 || i == len(b) {
		return 0, nil, false
	}
	return n, bytes.TrimLeft(b[i:], " "), true
}

func digit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
