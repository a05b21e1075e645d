package push

import (
	"context"
	"fmt"
	"sync"
	"time"

	"stacksnap/format/output"
)

// The bounds of a spool, and of the uploads in memory, in bytes, if the disk is full.
const (
	MaxSpoolBytes = 256 << 20
	MaxSpoolAge   = 7 * 24 * time.Hour
	maxHeld       = 32 << 20
)

// lockWait is the time between checks of the spool's lock.
const lockWait = 200 * time.Millisecond

// Sender uploads profiles to a server in the order in which they were added, those of
// earlier calls included. Add may be called concurrently with Send and Run.
type Sender struct {
	Endpoint *Endpoint
	Agent    string // the program and its version
	Spool    *output.Spool
	Headers  func() ([]Header, error) // called for each request, as tokens change
	Getenv   func(string) string
	Tell     func(line string)

	post func(context.Context, *request) (answer, error)
	wait func(context.Context, time.Duration) bool

	mu    sync.Mutex
	held  [][]byte // uploads that could not be written to the spool
	added chan struct{}
	told  string // the failure that was reported and is not over

	last string // name of the last upload that was sent, so as not to send it twice
}

// NewSender returns a sender that reads headers from the file and the environment and
// prints lines by tell.
func NewSender(to *Endpoint, agent string, spool *output.Spool, headersFile string, getenv func(string) string, tell func(string)) *Sender {
	return &Sender{
		Endpoint: to, Agent: agent, Spool: spool, Getenv: getenv, Tell: tell,
		Headers: func() ([]Header, error) { return to.Headers(headersFile, getenv) },
		post:    func(ctx context.Context, r *request) (answer, error) { return r.send(ctx) },
		wait:    pause, added: make(chan struct{}, 1),
	}
}

// Add queues an upload, compressed by gzip: on disk or, if that fails, in memory.
func (s *Sender) Add(body []byte) {
	dropped, err := s.Spool.Add(body)
	if err != nil {
		s.hold(body, err)
	}
	s.tellDropped(dropped)
	select {
	case s.added <- struct{}{}:
	default: // Run is notified already
	}
}

// hold keeps an upload in memory, and drops the oldest ones beyond maxHeld bytes.
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

// Waiting returns the number of uploads in the spool.
func (s *Sender) Waiting() int {
	all, _, _ := s.Spool.Letters() // none if it cannot be read
	return len(all)
}

// Held returns the number of uploads in memory, which are lost when the program ends.
func (s *Sender) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held)
}

// Close closes the spool.
func (s *Sender) Close() error { return s.Spool.Close() }
