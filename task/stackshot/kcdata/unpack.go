package kcdata

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"stacksnap/task/unpack"
)

// MaxSize is how many bytes are read of one stream, and how many it may decompress
// to. A stackshot of all processes has some megabytes.
const MaxSize = 128 << 20

// ErrTooLarge means that a stream exceeds [MaxSize].
var ErrTooLarge = errors.New("more than 128 MB")

// ReadAll reads a stream to its end, decompressing gzip and the buffers that the
// kernel has compressed. The error wraps [ErrNotKcdata] for any other data; no
// more of it is read than needed to know that. With any other error it returns the data
// before it.
func ReadAll(from io.Reader) ([]byte, error) {
	r, err := begin(from)
	if err != nil {
		return nil, err
	}
	data, err := readAll(r, MaxSize)
	if err != nil {
		return data, err
	}
	return inflateAll(data, MaxSize)
}

// Is reports whether a stream starts like kcdata.
func Is(from io.Reader) bool {
	_, err := begin(from)
	return err == nil
}

// begin returns a stream without gzip, at the start of its first buffer.
func begin(from io.Reader) (*bufio.Reader, error) {
	r := bufio.NewReader(from)
	head, err := r.Peek(2)
	if err != nil {
		return nil, errors.Join(ErrNotKcdata, ignored(err))
	}
	if head[0] == 0x1f && head[1] == 0x8b {
		packed := unpack.New(r)
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, errors.Join(ErrNotKcdata, err)
		}
		r = bufio.NewReader(packed.Bound(z))
	}
	return r, toBegin(r)
}

// chunkHeader is the size in bytes of the header before a stackshot in ktrace's files
// (tools/lldbmacros/kcdata.py, iterate_kcdatas).
const chunkHeader = 16

// toBegin skips to the start of a buffer.
func toBegin(r *bufio.Reader) error {
	for range 2 {
		head, err := r.Peek(4)
		if err == nil && isBegin(binary.LittleEndian.Uint32(head)) {
			return nil
		}
		if _, more := r.Discard(chunkHeader); err != nil || more != nil {
			return errors.Join(ErrNotKcdata, ignored(err), ignored(more))
		}
	}
	return ErrNotKcdata
}

// ignored returns err, or nil if it is about a short stream.
func ignored(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// readAll reads at most limit bytes, allocating as they arrive.
func readAll(r io.Reader, limit int) ([]byte, error) {
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(r, int64(limit)+1))
	switch {
	case b.Len() > limit:
		return b.Bytes()[:limit], ErrTooLarge
	case err != nil:
		return b.Bytes(), fmt.Errorf("unpack: %w", err)
	}
	return b.Bytes(), nil
}

// compressedByZlib is KCDCT_ZLIB.
const compressedByZlib = 1

// inflateAll decompresses the buffers that the kernel has compressed, up to limit
// bytes. With an error it returns the data before it.
func inflateAll(data []byte, limit int) ([]byte, error) {
	var all []byte
	done := 0 // bytes of data already in all
	r := NewReader(data)
	for kind, ok := r.Buffer(); ok; kind, ok = r.Buffer() {
		if kind != Compressed {
			continue
		}
		all = append(all, data[done:r.from]...)
		buffer, err := r.inflate(max(limit-len(all), 0))
		if all = append(all, buffer...); err != nil {
			return all, err
		}
		done = r.at
	}
	if done == 0 {
		return data, nil
	}
	return append(all, data[done:]...), nil
}

// inflate decompresses the current buffer, up to limit bytes, and moves past it. The
// kernel writes (kcdata_init_compress) items that describe the compression, then the
// first item of the inner buffer, and its other items compressed, without the end
// item.
func (r *Reader) inflate(limit int) ([]byte, error) {
	var method uint64
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		if isBegin(it.Type) && method == compressedByZlib {
			buffer, rest, err := unzip(it.Type, r.data[r.at:], limit)
			r.at, r.kind = len(r.data)-len(rest), 0
			return buffer, err
		}
		if name, n, err := it.NamedNumber(); err == nil && name == "kcd_c_type" {
			method = n
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("a buffer that is compressed by method %d", method)
}

// unzip adds the first and last item, which are not compressed, and returns the data
// after the buffer.
func unzip(kind uint32, packed []byte, limit int) (buffer, rest []byte, err error) {
	from := bytes.NewReader(packed)
	z, err := zlib.NewReader(from)
	if err != nil {
		return nil, nil, fmt.Errorf("unpack: %w", err)
	}
	items, err := readAll(z, limit)
	var w Writer
	w.Begin(kind)
	w.padded(items, padding(len(items)))
	if err == nil {
		w.End()
	}
	return w.Bytes(), behind(packed[len(packed)-from.Len():]), err
}

// behind skips the end of a compressed buffer: room for an item, in which the kernel
// writes nothing useful (kcdata_memory_get_used_bytes), and zeros up to the next
// buffer.
func behind(rest []byte) []byte {
	next := bytes.TrimLeft(rest, "\x00")
	if len(next) < 4 || isBegin(binary.LittleEndian.Uint32(next)) {
		return next
	}
	return bytes.TrimLeft(rest[min(headerSize, len(rest)):], "\x00")
}
