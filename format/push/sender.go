package push

import (
	"context"
	"fmt"
	"sync"
	"time"

	"stacksnap/format/output"
)

// The bounds of a spool, and of what is kept in memory where the disk takes nothing.
const (
	MaxSpoolBytes = 256 << 20
	MaxSpoolAge   = 7 * 24 * time.Hour
	maxHeld       = 32 << 20
)

// lockWait is how long to wait before another look at whether another program still
// sends from the same spool.
const lockWait = 200 * time.Millisecond

// Sender sends profiles to a server, one after another in the order in which they were
// added, also by calls before. Add is safe beside Send and Run.
type Sender struct {
	Endpoint *Endpoint
	Agent    string // the program and its version
	Spool    *output.Spool
	Headers  func() ([]Header, error) // asked each time: tokens change
	Getenv   func(string) string
	Tell     func(line string)

	post func(context.Context, *request) (answer, error)
	wait func(context.Context, time.Duration) bool

	mu    sync.Mutex
	held  [][]byte // what the spool did not take
	added chan struct{}
	told  string // the last trouble that was told

	last string // the name of the letter that was sent last, by which it is not sent again
}

// NewSender returns a sender with the functions that it needs.
func NewSender(to *Endpoint, agent string, spool *output.Spool, headersFile string, getenv func(string) string, tell func(string)) *Sender {
	return &Sender{
		Endpoint: to, Agent: agent, Spool: spool, Getenv: getenv, Tell: tell,
		Headers: func() ([]Header, error) { return to.Headers(headersFile, getenv) },
		post:    func(ctx context.Context, r *request) (answer, error) { return r.send(ctx) },
		wait:    pause, added: make(chan struct{}, 1),
	}
}

// Add takes up what is to be sent, compressed by gzip: on the disk, else in memory.
func (s *Sender) Add(body []byte) {
	dropped, err := s.Spool.Add(body)
	if err != nil {
		s.hold(body, err)
	}
	s.tellDropped(dropped)
	select {
	case s.added <- struct{}{}:
	default: // it is told already
	}
}

// hold keeps in memory what the disk has no room for, in bounds.
func (s *Sender) hold(body []byte, why error) {
	if len(body) > maxHeld {
		s.Tell(fmt.Sprintf("--push: %v; a profile of %d bytes is more than is kept in memory, and is given up", why, len(body)))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, body)
	total, dropped := 0, 0
	for i := len(s.held) - 1; i >= 0; i-- {
		if total += len(s.held[i]); total > maxHeld {
			dropped = i + 1
			break
		}
	}
	s.held = s.held[dropped:]
	s.Tell(fmt.Sprintf("--push: %v; it is sent from memory", why))
	s.tellDropped(dropped)
}

func (s *Sender) tellDropped(n int) {
	if n > 0 {
		s.Tell(fmt.Sprintf("--push: the oldest %s not sent and given up, for want of room or being too old", counted(n)))
	}
}

func counted(n int) string {
	if n == 1 {
		return "profile was"
	}
	return fmt.Sprintf("%d profiles were", n)
}

// Waiting returns how many profiles wait on the disk to be sent.
func (s *Sender) Waiting() int {
	all, _, _ := s.Spool.Letters() // what cannot be read is not there
	return len(all)
}

// Held returns how many profiles wait in memory because the disk took none; they are
// lost when the program ends.
func (s *Sender) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held)
}

// Close lets go of the spool.
func (s *Sender) Close() error { return s.Spool.Close() }
