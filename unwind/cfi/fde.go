package cfi

import "fmt"

// fde is a frame description entry: the rows of the code in [start, end).
type fde struct {
	cie        *cie
	off        int
	start, end uint64 // vmaddrs
	program    cursor
}

func (f *fde) contains(vmaddr uint64) bool { return f.start <= vmaddr && vmaddr < f.end }

// fdeAt reads the FDE at off.
func (s *section) fdeAt(off int) (*fde, error) {
	e, err := s.entry(off)
	if err != nil {
		return nil, err
	}
	if e.zero || e.cie == -1 {
		return nil, fmt.Errorf("%w: no FDE at %#x", errMalformed, off)
	}
	ci, err := s.cieAt(e.cie)
	if err != nil {
		return nil, err
	}
	return s.fde(e, ci)
}

// fde reads the FDE in e.
func (s *section) fde(e entry, ci *cie) (*fde, error) {
	f := &fde{cie: ci, off: e.off}
	c := &e.body
	var err error
	if f.start, f.end, err = ci.readRange(c); err != nil {
		return nil, fmt.Errorf("FDE at %#x: %w", e.off, err)
	}
	if ci.augmented {
		c.take(c.uleb())
	}
	if c.bad {
		return nil, fmt.Errorf("FDE at %#x: %w", e.off, errMalformed)
	}
	f.program = *c
	return f, nil
}

// readRange reads which code an FDE is of. The length has the format of the
// start, and is relative to nothing.
func (ci *cie) readRange(c *cursor) (start, end uint64, err error) {
	if start, err = c.encoded(ci.encoding, ci.pointerSize, bases{}); err != nil {
		return 0, 0, err
	}
	n, err := c.value(ci.encoding, ci.pointerSize)
	if err != nil {
		return 0, 0, err
	}
	if ci.pointerSize == 4 {
		n &= 1<<32 - 1
	}
	if end = start + n; end < start {
		return 0, 0, fmt.Errorf("%w: code from %#x of length %#x", errMalformed, start, n)
	}
	return start, end, nil
}
