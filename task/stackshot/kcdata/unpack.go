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

// MaxSize bounds what is read of one stream, and what is unpacked of that. A stackshot of
// all processes has some megabytes.
const MaxSize = 128 << 20

// ErrTooLarge says that there is more than [MaxSize].
var ErrTooLarge = errors.New("more than 128 MB")

// ReadAll reads a stream to its end and unpacks it, if gzip has packed it, and of its
// buffers those that the kernel has packed. The error wraps [ErrNotKcdata] for what is none; of that no more is read than tells so.
// With any other error there may be a part.
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

// Is reports whether a stream begins as kcdata does.
func Is(from io.Reader) bool {
	_, err := begin(from)
	return err == nil
}

// begin returns a stream without gzip, from where its first buffer begins.
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

// chunkHeader is how many bytes a chunk of ktrace's files has before the stackshot in it
// (tools/lldbmacros/kcdata.py, iterate_kcdatas).
const chunkHeader = 16

// toBegin goes to where a buffer begins.
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

// ignored is an error, but for that of a short stream.
func ignored(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// readAll reads at most so many bytes, by as much as there is.
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

// inflateAll unpacks those buffers that the kernel has packed, to so many bytes. With an
// error it returns what there is up to there.
func inflateAll(data []byte, limit int) ([]byte, error) {
	var all []byte
	done := 0 // what all has of data
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

// inflate unpacks the buffer that was begun, if it is not longer than a limit, and goes on
// to what stands behind it. It is as the kernel makes them (kcdata_init_compress): its
// first items tell how it is packed, then comes the begin of the buffer, and the packed
// items of it without begin and end.
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

// unzip puts the begin and the end back that were not packed, and returns what stands
// behind.
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

// behind leaves out the end of a packed buffer: the kernel leaves room for an item there,
// in which it writes nothing of use (kcdata_memory_get_used_bytes), and zeros up to what
// comes next.
func behind(rest []byte) []byte {
	next := bytes.TrimLeft(rest, "\x00")
	if len(next) < 4 || isBegin(binary.LittleEndian.Uint32(next)) {
		return next
	}
	return bytes.TrimLeft(rest[min(headerSize, len(rest)):], "\x00")
}
