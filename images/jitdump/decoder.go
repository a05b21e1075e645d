package jitdump

import (
	"errors"

	"stacksnap/images/generated"
)

// Limits for one file.
const (
	maxFile  = 256 << 20 // bytes, most of them code, which is skipped
	maxLines = 1 << 20   // in all; later code has none
	maxMoved = 1 << 19   // pieces of code that can still be moved
)

var (
	errMagic  = errors.New("it is no jitdump file")
	errRecord = errors.New("it has a record that is none")
)

// NewReader returns a reader of a jitdump that is still being written. It owns the
// file.
func NewReader(file generated.Source) *generated.Reader {
	return generated.NewReader(file, new(decoder))
}

// decoder decodes records.
type decoder struct {
	header header // size is 0 until it was read
	at     int64  // offset of the current record in Decode's argument
	lines  *generated.Lines
	of     uint64                     // address of the code that lines describe, which comes next
	kept   uint64                     // lines kept so far
	loaded map[uint64]generated.Entry // by code index, at its current address
}

// MaxFile implements [generated.Decoder].
func (d *decoder) MaxFile() int64 { return maxFile }

// Reset implements [generated.Decoder].
func (d *decoder) Reset() { *d = decoder{} }

// Decode implements [generated.Decoder]. It consumes whole records.
func (d *decoder) Decode(b []byte, left int64, add func(generated.Entry) error) (done int64, err error) {
	if d.header.size == 0 {
		done, err = d.begin(b, left)
		if done == 0 || done > int64(len(b)) || err != nil {
			return done, err
		}
	}
	for int64(len(b))-done >= recordHead {
		d.at = done
		n, err := d.record(b[done:], left-done, add)
		if n == 0 || err != nil {
			return done, err
		}
		if done += n; done > int64(len(b)) {
			break
		}
	}
	return done, nil
}

// begin decodes the header.
func (d *decoder) begin(b []byte, left int64) (int64, error) {
	if len(b) < headerSize {
		return 0, nil
	}
	h, ok := parseHeader(b)
	switch {
	case !ok:
		return 0, errMagic
	case int64(h.size) > left:
		return 0, nil
	}
	d.header = h
	return int64(h.size), nil
}

// record decodes the record at the start of b, and returns its size, 0 if it needs
// more of it.
func (d *decoder) record(b []byte, left int64, add func(generated.Entry) error) (int64, error) {
	order := d.header.order
	size := int64(order.Uint32(b[4:]))
	switch {
	case size < recordHead:
		return 0, errRecord
	case size > left:
		return 0, nil // still being written
	}
	kind := order.Uint32(b)
	if int64(len(b)) < min(size, d.needs(kind)) {
		return 0, nil
	}
	b = b[:min(size, int64(len(b)))]
	var err error
	switch kind {
	case codeLoad:
		err = d.load(b, add)
	case codeMove:
		err = d.move(b, add)
	case codeDebugInfo:
		d.debug(b, size)
	}
	return size, err
}

// needs returns how many bytes of a record must be in b.
func (d *decoder) needs(kind uint32) int64 {
	switch {
	case kind == codeLoad:
		return loadHead + maxName
	case kind == codeMove:
		return moveSize
	case kind == codeDebugInfo && !d.header.isV8:
		return generated.MaxPart
	}
	return 0
}

// load decodes JIT_CODE_LOAD: code that was generated.
func (d *decoder) load(b []byte, add func(generated.Entry) error) error {
	c, text, ok := parseLoad(b, d.header.order)
	lines := d.lines
	if d.lines = nil; d.of != c.start {
		lines = nil
	}
	if c.size == 0 || c.start+c.size < c.start {
		return nil
	}
	e := generated.Entry{Start: c.start, End: c.start + c.size, Lines: lines}
	if ok {
		e.Name = generated.Name(text)
	}
	if ok && len(text) < maxName {
		e.Code = d.at + loadHead + int64(len(text)) + 1
	}
	if d.loaded == nil {
		d.loaded = map[uint64]generated.Entry{}
	}
	if len(d.loaded) < maxMoved {
		d.loaded[c.index] = e
	}
	return add(e)
}

// move decodes JIT_CODE_MOVE: code that is at another address now. Nothing is left at
// the old one.
func (d *decoder) move(b []byte, add func(generated.Entry) error) error {
	c, old, ok := parseMove(b, d.header.order)
	e, known := d.loaded[c.index]
	if !ok || c.start+c.size < c.start || c.size == 0 {
		return nil
	}
	if !known || e.Start != old || e.End-e.Start != c.size {
		e = generated.Entry{} // the code at the new address has no name
	} else if err := add(generated.Entry{Start: e.Start, End: e.End}); err != nil {
		return err
	}
	e.Lines = e.Lines.Moved(c.start - e.Start)
	e.Start, e.End, e.Code = c.start, c.start+c.size, 0 // references in it have been changed
	if known {
		d.loaded[c.index] = e
	}
	return add(e)
}

// debug decodes JIT_CODE_DEBUG_INFO: the lines of code that comes next.
func (d *decoder) debug(b []byte, size int64) {
	d.lines, d.of = nil, 0
	if d.header.isV8 || size > int64(len(b)) {
		return
	}
	of, lines := parseLines(b, d.header.order, maxLines-d.kept)
	if len(lines) > 0 {
		d.lines, d.of = generated.NewLines(lines), of
		d.kept += uint64(len(lines))
	}
}
