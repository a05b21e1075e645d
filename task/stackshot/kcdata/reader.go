package kcdata

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// CutError says that a buffer ends before it should: an item would go on behind its
// end, or there is no last item.
type CutError struct{ At int } // the offset of the item

func (e *CutError) Error() string { return fmt.Sprintf("the buffer is cut off at byte %d", e.At) }

// ErrNotKcdata says that something is no kcdata.
var ErrNotKcdata = errors.New("not kcdata")

// Reader gives the items of the buffers in some bytes, one after the other. It
// allocates nothing for them: they are parts of the bytes.
type Reader struct {
	data []byte
	from int    // where the buffer begins that is read
	at   int    // of the next item
	kind uint32 // of the buffer that is read
	err  error
}

// NewReader reads the bytes, which are not copied.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Buffer goes on to the next buffer, whatever is left of the one before it, and tells
// what it is of; false where there is none, or what comes is none, see [Reader.Err].
func (r *Reader) Buffer() (kind uint32, ok bool) {
	for r.kind != 0 && r.err == nil {
		r.Next()
	}
	for r.err == nil && r.at < len(r.data) {
		it, size, ok := r.item()
		switch {
		case isBegin(it.Type) && ok:
			r.kind, r.from = it.Type, r.at
			r.at += size
			return r.kind, true
		case it.Type != 0: // zeros fill up what is left of a page
			r.err = r.stray(it.Type)
			return 0, false
		}
		r.at = min(r.at+headerSize, len(r.data))
	}
	return 0, false
}

// stray is the error for what stands where a buffer should begin.
func (r *Reader) stray(t uint32) error {
	if r.at == 0 {
		return ErrNotKcdata
	}
	return fmt.Errorf("%w at byte %d: a buffer does not begin with %#x", ErrNotKcdata, r.at, t)
}

// Next returns the next item of the buffer; false at its end, and where it is cut off,
// see [Reader.Err].
func (r *Reader) Next() (Item, bool) {
	if r.kind == 0 || r.err != nil {
		return Item{}, false
	}
	it, size, ok := r.item()
	switch {
	case !ok:
		r.err, r.kind = &CutError{r.at}, 0
		return Item{}, false
	case it.Type == BufferEnd:
		r.at += size
		r.kind = 0
		return Item{}, false
	}
	r.at += size
	return it, true
}

// Skip passes over the rest of a container that has begun, with those in it.
func (r *Reader) Skip() {
	for depth := 1; depth > 0; {
		it, ok := r.Next()
		switch {
		case !ok:
			return
		case it.Type == ContainerBegin:
			depth++
		case it.Type == ContainerEnd:
			depth--
		}
	}
}

// Err returns why there are no more items or buffers: a *[CutError], or what wraps
// [ErrNotKcdata]. It is nil at the end of all.
func (r *Reader) Err() error { return r.err }

// item reads the item that comes, and how many bytes it has in all; false where they
// are not all there.
func (r *Reader) item() (it Item, size int, ok bool) {
	b := r.data[r.at:]
	if len(b) >= 4 {
		it.Type = binary.LittleEndian.Uint32(b)
	}
	if len(b) < headerSize {
		return it, 0, false
	}
	it.Flags = binary.LittleEndian.Uint64(b[8:])
	n := uint64(binary.LittleEndian.Uint32(b[4:]))
	if n > uint64(len(b)-headerSize) {
		return it, 0, false
	}
	size = headerSize + int(n)
	it.Payload = b[headerSize:size:size]
	return it, size, true
}
