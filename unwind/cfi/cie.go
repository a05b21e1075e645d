package cfi

import "fmt"

// cie is a common information entry: what several FDEs share.
type cie struct {
	off         int
	codeAlign   uint64
	dataAlign   int64
	ra          uint64 // number of the return address's column
	encoding    uint8  // of addresses in FDEs
	fixedSize   int    // size of an address in FDEs if it is PC-relative or absolute, else 0
	augmented   bool   // FDEs have a sized augmentation
	signal      bool   // frames are signal trampolines
	golang      bool   // has the form that Go's linker writes
	pointerSize int
	program     cursor
}

// cieAt parses the CIE at off.
func (s *section) cieAt(off int) (*cie, error) {
	e, err := s.entry(off)
	if err != nil {
		return nil, err
	}
	if e.zero || e.cie != -1 {
		return nil, fmt.Errorf("%w: no CIE at %#x", errMalformed, off)
	}
	ci := &cie{off: off, encoding: encAbsolute, pointerSize: s.pointerSize}
	if err := ci.read(&e.body, s.pointerSize); err != nil {
		return nil, fmt.Errorf("CIE at %#x: %w", off, err)
	}
	ci.program = e.body
	if base := ci.encoding & 0x70; base == encAbsolute || base == encPCRel {
		ci.fixedSize = fixedSize(ci.encoding, ci.pointerSize)
	}
	return ci, nil
}

func (ci *cie) read(c *cursor, pointerSize int) error {
	version := c.u8()
	if version != 1 && version != 3 && version != 4 {
		return fmt.Errorf("version %d is not known", version)
	}
	augmentation := c.cstring()
	if version == 4 {
		if err := ci.readSizes(c); err != nil {
			return err
		}
	}
	if augmentation == "eh" { // GCC 2: a pointer to an exception table
		c.pointer(pointerSize)
		augmentation = ""
	}
	ci.codeAlign, ci.dataAlign = c.uleb(), c.sleb()
	if ci.ra = uint64(0); version == 1 {
		ci.ra = uint64(c.u8())
	} else {
		ci.ra = c.uleb()
	}
	ci.golang = version == 3 && augmentation == "" && ci.codeAlign == 1 && ci.dataAlign == -4
	if err := ci.augment(c, augmentation); err != nil {
		return err
	}
	if c.bad {
		return errMalformed
	}
	return nil
}

// readSizes reads the fields that version 4 adds: the size of addresses and of
// segment selectors. Segmented code is not supported.
func (ci *cie) readSizes(c *cursor) error {
	size, segment := c.u8(), c.u8()
	if size != 4 && size != 8 {
		return fmt.Errorf("addresses of %d bytes", size)
	}
	if segment != 0 {
		return fmt.Errorf("segment selectors of %d bytes", segment)
	}
	ci.pointerSize = int(size)
	return nil
}

// augment parses the augmentation data, which has one item for each letter.
func (ci *cie) augment(c *cursor, letters string) error {
	if letters == "" {
		return nil
	}
	if letters[0] != 'z' {
		return fmt.Errorf("augmentation %.8q is not known", letters)
	}
	ci.augmented = true
	data := cursor{addr: c.addr, data: c.data}
	n := c.uleb()
	data.pos = c.pos
	if c.take(n); c.bad {
		return errMalformed
	}
	data.data = c.data[:c.pos]
	for i := 1; i < len(letters); i++ {
		if err := ci.augmentBy(&data, letters[i]); err != nil {
			return err
		}
	}
	if data.bad {
		return errMalformed
	}
	return nil
}

func (ci *cie) augmentBy(c *cursor, letter byte) error {
	switch letter {
	case 'R':
		ci.encoding = c.u8()
	case 'L': // the encoding of pointers to language-specific data
		c.u8()
	case 'P': // the personality routine
		zero := uint64(0)
		enc := c.u8()
		if enc == encOmit {
			return nil
		}
		// Not needed; skipped, whatever it is relative to.
		_, err := c.encoded(enc, ci.pointerSize, bases{data: &zero, function: &zero})
		return err
	case 'S':
		ci.signal = true
	case 'B', 'G': // signed with the B key; a frame with tagged memory
	default:
		return fmt.Errorf("augmentation letter %q is not known", letter)
	}
	return nil
}
