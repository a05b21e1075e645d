package jsonpart

import "bytes"

// Skip skips a value. It does not check that brackets match in kind.
func (r *Reader) Skip() error {
	c, err := r.next()
	switch {
	case err != nil:
		return err
	case c == '"':
		r.discard(1)
		return r.skipText()
	case c == '{' || c == '[':
		return r.skipNested()
	}
	_, err = r.scalar(nil)
	return err
}

// skipNested skips an object or a list.
func (r *Reader) skipNested() error {
	for depth := 0; ; {
		b, err := r.buffered()
		if err != nil {
			return err
		}
		i, text := 0, false
		for ; i < len(b) && !text; i++ {
			switch b[i] {
			case '"':
				text = true
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					r.discard(i + 1)
					return nil
				}
			}
		}
		r.discard(i)
		if text {
			if err := r.skipText(); err != nil {
				return err
			}
		}
	}
}

// skipText skips the rest of a string, from any position except within an escape.
func (r *Reader) skipText() error {
	_, err := r.text(nil, -1)
	return err
}

// text appends the rest of a string to keep, with its closing quote. If keep would exceed
// most bytes, it returns [ErrTooLarge]. If most is negative, it skips the string.
func (r *Reader) text(keep []byte, most int) ([]byte, error) {
	for {
		b, err := r.buffered()
		if err != nil {
			return nil, err
		}
		n, end := textPart(b)
		if n == 0 { // an escape across the end of the buffer
			if b, err = r.from.Peek(2); err != nil {
				return nil, r.ended(err)
			}
			n = 2
		}
		switch {
		case most >= 0 && len(keep)+n > most:
			return nil, ErrTooLarge
		case most >= 0:
			keep = append(keep, b[:n]...)
		}
		if r.discard(n); end {
			return keep, nil
		}
	}
}

// textPart returns the number of bytes of b that belong to the string, ending after a
// complete escape, and whether the string ends there.
func textPart(b []byte) (n int, end bool) {
	for n < len(b) {
		i := bytes.IndexAny(b[n:], `"\`)
		switch {
		case i < 0:
			return len(b), false
		case b[n+i] == '"':
			return n + i + 1, true
		case n+i+1 == len(b):
			return n + i, false
		}
		n += i + 2
	}
	return n, false
}

// scalar reads a number, true, false or null, and appends it to keep.
func (r *Reader) scalar(keep []byte) ([]byte, error) {
	begin := r.at
	for {
		b, err := r.buffered()
		if err != nil {
			return nil, err
		}
		n := bytes.IndexAny(b, ",]} \t\r\n\"[{:")
		end := n >= 0
		if !end {
			n = len(b)
		}
		if r.at+int64(n)-begin > maxText {
			return nil, ErrTooLarge
		}
		keep = append(keep, b[:n]...)
		if r.discard(n); end && r.at == begin {
			return nil, r.wrong("value")
		}
		if end {
			return keep, nil
		}
	}
}
