package perfmap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"
)

// The bounds of what is read and kept of one file.
const (
	maxFile    = 64 << 20    // bytes
	maxRead    = 4 * maxFile // in all, however often it is written anew
	maxEntries = 1 << 19     // that are the last at some address
	maxLine    = 16 << 10    // bytes; a longer one is passed over
	chunk      = 64 << 10
	tailSize   = 64
)

var errTooOften = errors.New("it is written anew again and again")

// Source is an open file.
type Source interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Reader reads a file that is being written. Its methods are called by one
// goroutine.
type Reader struct {
	file    Source
	size    int64 // when it was looked at last
	changed time.Time
	total   int64  // bytes that were read
	offset  int64  // up to where it was read: behind the end of a line, unless skip
	tail    []byte // the last bytes before that
	skip    bool   // it is in a line that is too long
	err     error  // why no more is read

	mu    sync.Mutex // guards what follows, and all Names
	table table
	names *Names
}

// NewReader begins reading with the next Update. It takes the file over.
func NewReader(file Source) *Reader {
	r := &Reader{file: file}
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
	if r.size > maxFile {
		return fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	news := batch{}
	if !r.goesOn() {
		r.forget()
		news.all = true
	}
	err := r.readLines(&news)
	r.table.settle()
	if news.differ(r.names) {
		r.renew()
	}
	return err
}

// readLines reads up to where the file ended when it was looked at.
func (r *Reader) readLines(news *batch) error {
	buf, line := make([]byte, min(chunk, max(0, r.size-r.offset))), []byte(nil)
	for at := r.offset; at < r.size; {
		n, err := r.file.ReadAt(buf[:min(int64(len(buf)), r.size-at)], at)
		if n == 0 && !errors.Is(err, io.EOF) {
			return err
		} else if n == 0 {
			return nil // it was cut meanwhile: see the next time
		}
		at += int64(n)
		if r.total += int64(n); r.total > maxRead {
			return errTooOften
		}
		rest := buf[:n]
		for i := bytes.IndexByte(rest, '\n'); i >= 0; i = bytes.IndexByte(rest, '\n') {
			if err := r.take(append(line, rest[:i]...), news); err != nil {
				return err
			}
			line, rest = line[:0], rest[i+1:]
			r.end(buf[:n-len(rest)], at-int64(len(rest)))
		}
		if line = append(line, rest...); len(line) > maxLine {
			line, r.skip = line[:0], true
			r.end(buf[:n], at)
		}
	}
	return nil
}

// take takes a line, which may be the end of one to be passed over.
func (r *Reader) take(line []byte, news *batch) error {
	skip := r.skip || len(line) > maxLine
	r.skip = false
	e, ok := parseLine(line)
	if skip || !ok {
		return nil
	}
	r.table.add(e)
	if len(r.table.entries) > maxEntries {
		r.table.sort()
	}
	if len(r.table.entries) > maxEntries {
		return fmt.Errorf("it names more than %d pieces of code", maxEntries)
	}
	news.add(e.start, e.end)
	return nil
}

// end notes up to where the file was read, and what stands before that in the
// buffer.
func (r *Reader) end(before []byte, offset int64) {
	r.offset = offset
	r.tail = append(r.tail[:0], before[max(0, len(before)-tailSize):]...)
}

// goesOn tells whether what was read is still there, so that what follows was
// appended.
func (r *Reader) goesOn() bool {
	var b [tailSize]byte
	n, _ := r.file.ReadAt(b[:len(r.tail)], r.offset-int64(len(r.tail)))
	return bytes.Equal(b[:n], r.tail)
}

func (r *Reader) forget() { r.table, r.offset, r.tail, r.skip = table{}, 0, nil, false }

func (r *Reader) renew() {
	r.names.over = true
	r.names = newNames(r)
}

func (r *Reader) answer(a uint64) answer {
	e := r.table.find(a)
	if e == nil {
		return answer{}
	}
	return answer{e.start, e.end - e.start, e.name}
}
