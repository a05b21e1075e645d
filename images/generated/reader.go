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

// The bounds of what is read and kept of one file.
const (
	maxEntries = 1 << 19  // that are the last at some address
	chunk      = 64 << 10 // bytes that are read at once
	tailSize   = 64

	// MaxPart is how many bytes a Decoder may have to see at once.
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

// Decoder takes a file of one format apart, from its start to its end.
type Decoder interface {
	// Decode adds the pieces of code that are at the start of b, which is where it
	// was done last. Left is how many bytes the file has from there on, of which b
	// may be a part. It returns how many it is done with now, which may be more than
	// b has; 0 when it has to see more. An error says that the file is not of the
	// format, or is the one that add has returned.
	Decode(b []byte, left int64, add func(Entry) error) (done int64, err error)
	// MaxFile is how large a file may be, in bytes.
	MaxFile() int64
	// Reset says that the file is read from the start again.
	Reset()
}

// Reader reads a file that is being written. Its methods are called by one
// goroutine.
type Reader struct {
	file    Source
	decoder Decoder
	size    int64 // when it was looked at last
	changed time.Time
	total   int64  // bytes that were read
	offset  int64  // up to where the decoder is done
	tail    []byte // the last bytes before that
	err     error  // why no more is read

	memory task.Memory // of the target, to compare code with; nil: it is not

	mu    sync.Mutex // guards what follows, and all Names
	table table
	names *Names
}

// NewReader begins reading with the next Update. It takes the file over.
func NewReader(file Source, d Decoder) *Reader {
	r := &Reader{file: file, decoder: d}
	r.names = newNames(r)
	return r
}

// Close closes the file. The names stay.
func (r *Reader) Close() error { return r.file.Close() }

// Names returns those that hold now. They are others than before when, of what was
// asked, something has another answer by now.
func (r *Reader) Names() *Names {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names
}

// Update reads what was written since the last one. After an error, which is told
// once, there are no names: what was not read might have replaced them.
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

// read reads on, or anew where the file is no longer what it was.
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

// decode has what was not decoded decoded, up to where the file ended when it was
// looked at.
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
			return err // nil: it was cut meanwhile, see the next time
		}
		done, err := r.decoder.Decode(b, left, add)
		switch {
		case err != nil:
			return err
		case done > 0:
			r.total -= max(0, int64(len(b))-done) // that is read again at once
			r.done(b, min(done, left))
			window = chunk
		case int64(len(b)) == left || int64(len(b)) < window:
			return nil // what is there is a part of something
		case window > MaxPart:
			return errPart
		default:
			window *= 2
		}
	}
	return nil
}

// fill reads into b from where the decoder is done, as far as the file goes.
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

// maxReads is how often, in all, the size is read that a file may have.
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

// done notes that the decoder needs so many bytes no more, of which b is the start,
// and what stands before the others.
func (r *Reader) done(b []byte, n int64) {
	r.offset += n
	if n <= int64(len(b)) {
		r.tail = append(r.tail[:0], b[max(0, n-tailSize):n]...)
		return
	}
	var tail [tailSize]byte
	k, _ := r.file.ReadAt(tail[:], r.offset-tailSize) // if less, it is no longer that file
	r.tail = append(r.tail[:0], tail[:k]...)
}

// goesOn reports whether what was read is still there, so that what follows was
// appended.
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
	if e == nil || e.Name == "" || !r.stands(e, a) {
		return answer{}
	}
	l := e.Lines.at(a)
	return answer{e.Start, e.End - e.Start, e.Name, l.File, l.Line}
}
