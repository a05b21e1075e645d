package swift

import "math"

// cursor is the part of a mangled name that is not read yet.
type cursor struct {
	name string
	pos  int
}

// peek returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.pos >= len(c.name) {
		return 0
	}
	return c.name[c.pos]
}

// next reads the next byte, 0 at the end.
func (c *cursor) next() byte {
	b := c.peek()
	if c.pos < len(c.name) {
		c.pos++
	}
	return b
}

// accept reads the next byte if it is b.
func (c *cursor) accept(b byte) bool {
	if c.pos >= len(c.name) || c.name[c.pos] != b {
		return false
	}
	c.pos++
	return true
}

// acceptString reads the next bytes if they are those of s.
func (c *cursor) acceptString(s string) bool {
	if len(c.name)-c.pos < len(s) || c.name[c.pos:c.pos+len(s)] != s {
		return false
	}
	c.pos += len(s)
	return true
}

// take reads n bytes.
func (c *cursor) take(n int) (string, bool) {
	if n < 0 || n > len(c.name)-c.pos {
		return "", false
	}
	s := c.name[c.pos : c.pos+n]
	c.pos += n
	return s, true
}

// rest reads all that is left.
func (c *cursor) rest() string {
	s := c.name[c.pos:]
	c.pos = len(c.name)
	return s
}

// missing is the value of a number that is not there. It stays negative when a little
// is added to it.
const missing = -1000

// natural reads a decimal number; one of more than 31 bits, which is of no use in a
// name, becomes the largest of these.
func (c *cursor) natural() int {
	if !isDigit(c.peek()) {
		return missing
	}
	n := 0
	for isDigit(c.peek()) {
		n = min(10*n+int(c.next()-'0'), math.MaxInt32)
	}
	return n
}

// index reads an index: _ is 0, 0_ is 1, and so on.
func (c *cursor) index() int {
	if c.accept('_') {
		return 0
	}
	if n := c.natural(); n >= 0 && c.accept('_') {
		return n + 1
	}
	return missing
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
