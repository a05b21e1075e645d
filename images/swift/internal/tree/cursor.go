package tree

import "math"

// Cursor reads a mangled name from Pos on.
type Cursor struct {
	Name string
	Pos  int
}

// Peek returns the next byte, 0 at the end.
func (c *Cursor) Peek() byte {
	if c.Pos >= len(c.Name) {
		return 0
	}
	return c.Name[c.Pos]
}

// Next reads the next byte, 0 at the end.
func (c *Cursor) Next() byte {
	b := c.Peek()
	if c.Pos < len(c.Name) {
		c.Pos++
	}
	return b
}

// Accept reads the next byte if it is b, and reports whether it did.
func (c *Cursor) Accept(b byte) bool {
	if c.Pos >= len(c.Name) || c.Name[c.Pos] != b {
		return false
	}
	c.Pos++
	return true
}

// AcceptString reads the next bytes if they are s, and reports whether it did.
func (c *Cursor) AcceptString(s string) bool {
	if len(c.Name)-c.Pos < len(s) || c.Name[c.Pos:c.Pos+len(s)] != s {
		return false
	}
	c.Pos += len(s)
	return true
}

// Take reads n bytes. It reports false if there are fewer.
func (c *Cursor) Take(n int) (string, bool) {
	if n < 0 || n > len(c.Name)-c.Pos {
		return "", false
	}
	s := c.Name[c.Pos : c.Pos+n]
	c.Pos += n
	return s, true
}

// Rest reads the rest of the name.
func (c *Cursor) Rest() string {
	s := c.Name[c.Pos:]
	c.Pos = len(c.Name)
	return s
}

// missing is returned instead of a number that is missing. It stays negative if a
// small number is added.
const missing = -1000

// Natural reads a decimal number. A number beyond 31 bits, which no valid name has,
// becomes the largest one.
func (c *Cursor) Natural() int {
	if !IsDigit(c.Peek()) {
		return missing
	}
	n := 0
	for IsDigit(c.Peek()) {
		n = min(10*n+int(c.Next()-'0'), math.MaxInt32)
	}
	return n
}

// Index reads an index: _ is 0, 0_ is 1, and so on. It is negative if there is none.
func (c *Cursor) Index() int {
	if c.Accept('_') {
		return 0
	}
	if n := c.Natural(); n >= 0 && c.Accept('_') {
		return n + 1
	}
	return missing
}

// IsDigit, IsLower and IsUpper classify ASCII characters.
func IsDigit(b byte) bool { return b >= '0' && b <= '9' }
func IsLower(b byte) bool { return b >= 'a' && b <= 'z' }
func IsUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// Digits reads decimal digits.
func (c *Cursor) Digits() string {
	start := c.Pos
	for IsDigit(c.Peek()) {
		c.Pos++
	}
	return c.Name[start:c.Pos]
}
