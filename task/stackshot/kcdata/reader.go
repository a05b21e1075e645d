package kcdata

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// CutError means that a buffer ends early: an item exceeds its end, or the last item
// is missing.
type CutError struct{ At int } // the offset of the item

func (e *CutError) Error() string { return fmt.Sprintf("the buffer is cut off at byte %d", e.At) }

// ErrNotKcdata means that data is not kcdata.
var ErrNotKcdata = errors.New("not kcdata")

// Reader reads the items of consecutive buffers. Items are not copied, and reading
// does not allocate.
type Reader struct {
	data []byte
	from int    // start of the current buffer
	at   int    // offset of the next item
	kind uint32 // of the current buffer
	err  error
}

// NewReader returns a reader of data, which is not copied.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Buffer moves on to the next buffer, skipping the rest of the current one, and
// returns its kind. It reports false at the end, and if no buffer follows: see
// [Reader.Err].
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
		case it.Type != 0: // zeros fill the rest of a page
			r.err = r.stray(it.Type)
			return 0, false
		}
		r.at = min(r.at+headerSize, len(r.data))
	}
	return 0, false
}

// stray returns the error for an item at the start of a buffer that is no buffer's
// first.
func (r *Reader) stray(t uint32) error {
	if r.at == 0 {
		return ErrNotKcdata
	}
	return fmt.Errorf("%w at byte %d: a buffer does not begin with %#x", ErrNotKcdata, r.at, t)
}

// Next returns the next item of the buffer. It reports false at its end, and if it is
// cut off: see [Reader.Err].
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

// Skip skips the rest of a container that has started, including containers in it.
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

// Err returns why there are no more items or buffers: a *[CutError], or an error that
// wraps [ErrNotKcdata]. It is nil at the end of the data.
func (r *Reader) Err() error { return r.err }

// item decodes the next item, and returns its size including the header. It reports
// false if the item is incomplete.
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
