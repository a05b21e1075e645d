package jitdump

import (
	"errors"

	"stacksnap/images/generated"
)

// The bounds of what is read and kept of a file.
const (
	maxFile  = 256 << 20 // bytes, most of them code, which is passed over
	maxLines = 1 << 20   // in all; code that comes later has none
	maxMoved = 1 << 19   // pieces of code that can still be moved
)

var (
	errMagic  = errors.New("it is no jitdump file")
	errRecord = errors.New("it has a record that is none")
)

// NewReader reads a jitdump that is being written. It takes the file over.
func NewReader(file generated.Source) *generated.Reader {
	return generated.NewReader(file, new(decoder))
}

// decoder takes records.
type decoder struct {
	header header // size is 0 before it was seen
	at     int64  // where the record at hand is in what Decode was given
	lines  *generated.Lines
	of     uint64                     // the code that lines are of, which is told next
	kept   uint64                     // lines, so far
	loaded map[uint64]generated.Entry // by the index, where it is now
}

// MaxFile implements [generated.Decoder].
func (d *decoder) MaxFile() int64 { return maxFile }

// Reset implements [generated.Decoder].
func (d *decoder) Reset() { *d = decoder{} }

// Decode implements [generated.Decoder]: it is done with whole records.
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

// begin takes the header.
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

// record takes the record that b begins with, and returns its size, 0 when more of it
// is to be seen.
func (d *decoder) record(b []byte, left int64, add func(generated.Entry) error) (int64, error) {
	order := d.header.order
	size := int64(order.Uint32(b[4:]))
	switch {
	case size < recordHead:
		return 0, errRecord
	case size > left:
		return 0, nil // it is being written
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

// needs is how much of a record has to be seen, if it has so much.
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

// load tells of code that was made.
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

// move tells of code that is at another place now. Where it was there is none.
func (d *decoder) move(b []byte, add func(generated.Entry) error) error {
	c, old, ok := parseMove(b, d.header.order)
	e, known := d.loaded[c.index]
	if !ok || c.start+c.size < c.start || c.size == 0 {
		return nil
	}
	if !known || e.Start != old || e.End-e.Start != c.size {
		e = generated.Entry{} // code of no name is at the new place
	} else if err := add(generated.Entry{Start: e.Start, End: e.End}); err != nil {
		return err
	}
	e.Lines = e.Lines.Moved(c.start - e.Start)
	e.Start, e.End, e.Code = c.start, c.start+c.size, 0 // what it refers to has been changed
	if known {
		d.loaded[c.index] = e
	}
	return add(e)
}

// debug tells of the lines of code that is to follow.
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
