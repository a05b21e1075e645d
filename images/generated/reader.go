package generated

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"stacksnap/task"
)

// Limits for one file.
const (
	maxEntries = 1 << 19  // entries that are the last at some address
	chunk      = 64 << 10 // bytes read at once
	tailSize   = 64

	// MaxPart is the maximum number of bytes a Decoder may need at once.
	MaxPart = 1 << 20
)

var (
	errTooOften = errors.New("it is written anew again and again")
	errPart     = errors.New("a part of it is too long")
)

// Source is an open file.
type Source interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Decoder decodes a file of one format, from start to end.
type Decoder interface {
	// Decode adds the pieces of code at the start of b, which continues where the
	// last call stopped. left is the number of bytes from there to the end of the
	// file; b may have fewer. Decode returns how many bytes it is done with, which
	// may be more than b has, or 0 if it needs more. An error is that of add, or
	// means that the file is not of the format.
	Decode(b []byte, left int64, add func(Entry) error) (done int64, err error)
	// MaxFile returns the maximum size of a file in bytes.
	MaxFile() int64
	// Reset prepares for reading the file from the start again.
	Reset()
}

// Reader reads a file that is still being written. Its methods are for one goroutine.
type Reader struct {
	file    Source
	decoder Decoder
	size    int64 // at the last Update
	changed time.Time
	total   int64  // bytes read
	offset  int64  // up to which decoding is done
	tail    []byte // the last bytes before offset
	err     error  // why reading has stopped

	memory task.Memory // of the target, to compare code with; nil: no comparison

	mu    sync.Mutex // guards the fields below, and all Names
	table table
	names *Names
}

// NewReader returns a reader of file, which it owns. Call Update to read.
func NewReader(file Source, d Decoder) *Reader {
	r := &Reader{file: file, decoder: d}
	r.names = newNames(r)
	return r
}

// Close closes the file. The names stay valid.
func (r *Reader) Close() error { return r.file.Close() }

// Names returns the current names. The value is replaced by a new one when code is
// overwritten, so that an address has another name than before.
func (r *Reader) Names() *Names {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names
}

// Update reads what was written since the last call. An error is returned once; after
// it there are no names, because what was not read might have replaced them.
func (r *Reader) Update() error {
	if r.err != nil {
		return nil
	}
	info, err := r.file.Stat()
	if err == nil && info.Size() == r.size && info.ModTime().Equal(r.changed) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.size, r.changed = info.Size(), info.ModTime()
		err = r.read()
	}
	if r.err = err; err != nil {
		r.forget()
		r.renew()
	}
	return err
}

// read reads on, or from the start if the file was replaced.
func (r *Reader) read() error {
	if most := r.decoder.MaxFile(); r.size > most {
		return fmt.Errorf("it is larger than %d MB", most>>20)
	}
	news := batch{}
	if !r.goesOn() {
		r.forget()
		news.all = true
	}
	err := r.decode(&news)
	r.table.settle()
	if news.differ(r.names) {
		r.renew()
	}
	return err
}

// decode decodes the rest of the file, up to its size at the last Stat.
func (r *Reader) decode(news *batch) error {
	add := func(e Entry) error { return r.add(e, news) }
	var buf []byte
	for window := int64(chunk); r.offset < r.size; {
		left := r.size - r.offset
		if int64(len(buf)) < min(window, left) {
			buf = make([]byte, min(window, left))
		}
		b, err := r.fill(buf[:min(window, left)])
		if len(b) == 0 || err != nil {
			return err // nil: the file was cut meanwhile; the next Update handles that
		}
		done, err := r.decoder.Decode(b, left, add)
		switch {
		case err != nil:
			return err
		case done > 0:
			r.total -= max(0, int64(len(b))-done) // these bytes are read again
			r.done(b, min(done, left))
			window = chunk
		case int64(len(b)) == left || int64(len(b)) < window:
			return nil // the rest is incomplete
		case window > MaxPart:
			return errPart
		default:
			window *= 2
		}
	}
	return nil
}

// fill reads into b from offset, up to the end of the file.
func (r *Reader) fill(b []byte) ([]byte, error) {
	n, err := r.file.ReadAt(b, r.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if r.total += int64(n); r.total > maxReads*r.decoder.MaxFile() {
		return nil, errTooOften
	}
	return b[:n], nil
}

// maxReads limits the total bytes read, as a multiple of the decoder's MaxFile.
const maxReads = 4

// add adds an entry.
func (r *Reader) add(e Entry, news *batch) error {
	if e.Code != 0 {
		e.Code += r.offset
	}
	r.table.add(e)
	if len(r.table.entries) > maxEntries {
		r.table.sort()
	}
	if len(r.table.entries) > maxEntries {
		return fmt.Errorf("it names more than %d pieces of code", maxEntries)
	}
	news.add(e.Start, e.End)
	return nil
}

// done advances offset by n bytes that begin with b, and keeps the last of
// them as tail.
func (r *Reader) done(b []byte, n int64) {
	r.offset += n
	if n <= int64(len(b)) {
		r.tail = append(r.tail[:0], b[max(0, n-tailSize):n]...)
		return
	}
	var tail [tailSize]byte
	k, _ := r.file.ReadAt(tail[:], r.offset-tailSize) // fewer: the file was replaced
	r.tail = append(r.tail[:0], tail[:k]...)
}

// goesOn reports whether the part that was read is unchanged, so that new bytes were
// appended to it.
func (r *Reader) goesOn() bool {
	var b [tailSize]byte
	n, _ := r.file.ReadAt(b[:len(r.tail)], r.offset-int64(len(r.tail)))
	return bytes.Equal(b[:n], r.tail)
}

func (r *Reader) forget() {
	r.table, r.offset, r.tail = table{}, 0, nil
	r.decoder.Reset()
}

func (r *Reader) renew() {
	r.names.over = true
	r.names = newNames(r)
}

func (r *Reader) answer(a uint64) answer {
	e := r.table.find(a)
	if e == nil || e.Name == "" || !r.matches(e, a) {
		return answer{}
	}
	l := e.Lines.at(a)
	return answer{e.Start, e.End - e.Start, e.Name, l.File, l.Line}
}
