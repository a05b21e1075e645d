package push

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"stacksnap/format/output"
)

// letter is the next upload.
type letter struct {
	body  io.Reader
	size  int64
	close func()
	done  func() error // removes it from the queue
}

// queue has the uploads in order: those in the spool, then those in memory.
type queue struct {
	*Sender
	spooled bool            // we hold the spool's lock
	listed  []output.Letter // the rest of the spool's last listing
}

// next returns the oldest upload, nil if the queue is empty.
func (q *queue) next() (*letter, error) {
	if q.spooled {
		l, err := q.fromDisk()
		if l != nil || err != nil {
			return l, err
		}
	}
	return q.fromMemory(), nil
}

// fromDisk returns the oldest upload in the spool, nil if it is empty.
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

// open opens an upload; nil if the file has gone. An upload that was sent but could not be
// removed is removed now.
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

// takeOut removes an upload from the spool.
func (q *queue) takeOut(l output.Letter) error {
	if err := q.Spool.Remove(l); err != nil {
		return fmt.Errorf("what was sent cannot be removed: %w", err)
	}
	return nil
}

// fromMemory returns the oldest upload in memory, nil if there is none.
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

// unhold removes an upload from memory, unless it was dropped meanwhile.
func (s *Sender) unhold(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) > 0 && &s.held[0][0] == &body[0] {
		s.held = s.held[1:]
	}
}
