package push

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"stacksnap/format/output"
)

// letter is what is to be sent next.
type letter struct {
	body  io.Reader
	size  int64
	close func()
	done  func() error // it need not be sent again
}

// queue has what is to be sent: the letters on the disk, and then what is in memory.
type queue struct {
	*Sender
	spooled bool            // what is on the disk is ours to send
	listed  []output.Letter // of it, what was there at the last look, and follows
}

// next is the oldest that is to be sent; nil where there is nothing more.
func (q *queue) next() (*letter, error) {
	if q.spooled {
		l, err := q.fromDisk()
		if l != nil || err != nil {
			return l, err
		}
	}
	return q.fromMemory(), nil
}

// fromDisk is the oldest on the disk.
func (q *queue) fromDisk() (*letter, error) {
	for {
		if len(q.listed) == 0 {
			all, dropped, err := q.Spool.Letters()
			q.tellDropped(dropped)
			if len(all) == 0 || err != nil {
				return nil, err
			}
			q.listed = all
		}
		l := q.listed[0]
		q.listed = q.listed[1:]
		found, err := q.open(l)
		if found != nil || err != nil {
			return found, err
		}
	}
}

// open opens a letter; nil where it is there no more. One that was sent, and could not be
// taken out then, is taken out now.
func (q *queue) open(l output.Letter) (*letter, error) {
	if l.Name == q.last {
		return nil, q.takeOut(l)
	}
	f, err := q.Spool.Open(l)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &letter{f, l.Size, func() { _ = f.Close() }, func() error {
		q.last = l.Name
		return q.takeOut(l)
	}}, nil
}

// takeOut takes out what was sent.
func (q *queue) takeOut(l output.Letter) error {
	if err := q.Spool.Remove(l); err != nil {
		return fmt.Errorf("what was sent cannot be removed: %w", err)
	}
	return nil
}

// fromMemory is the oldest there; nil where there is none.
func (s *Sender) fromMemory() *letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) == 0 {
		return nil
	}
	body := s.held[0]
	return &letter{bytes.NewReader(body), int64(len(body)), func() {}, func() error {
		s.unhold(body)
		return nil
	}}
}

// unhold lets go of what was sent, unless it was given up meanwhile.
func (s *Sender) unhold(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) > 0 && &s.held[0][0] == &body[0] {
		s.held = s.held[1:]
	}
}
