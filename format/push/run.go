package push

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// recheck is after how long a watch looks again for what could not be sent.
const recheck = 30 * time.Second

// Run sends what waits, and what is added, until ctx is done; and then, for so long as
// grace, what is left. What keeps it from that is told, each trouble once until it is
// over.
func (s *Sender) Run(ctx context.Context, grace time.Duration) {
	attempt, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	hurry := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) }) // a request may end by itself
	defer hurry()
	for ctx.Err() == nil {
		lost, err := s.send(&patient{ctx: ctx, attempt: attempt, since: time.Now()})
		s.settle(lost, err)
		s.rest(ctx, err != nil)
	}
	s.settle(s.send(&patient{ctx: attempt, attempt: attempt, patience: grace, since: time.Now()}))
}

// rest waits until there is something to send.
func (s *Sender) rest(ctx context.Context, waiting bool) {
	again := time.NewTimer(recheck)
	defer again.Stop()
	if !waiting {
		again.Stop()
	}
	select {
	case <-s.added:
	case <-again.C:
	case <-ctx.Done():
	}
}

// settle tells of what went wrong, unless it is the end.
func (s *Sender) settle(lost []string, err error) {
	for _, line := range lost {
		s.Tell("--push: " + line)
	}
	switch {
	case err == nil:
		s.calm()
	case errors.Is(err, context.Canceled):
	default:
		s.trouble(err)
	}
}

// trouble tells why things wait, once.
func (s *Sender) trouble(err error) {
	s.mu.Lock()
	again := s.told != ""
	s.told = err.Error()
	s.mu.Unlock()
	if !again {
		s.Tell(fmt.Sprintf("--push: %v; what is not sent waits in %s", err, s.Spool.Path()))
	}
}

// calm notes, and tells, that a trouble is over.
func (s *Sender) calm() {
	s.mu.Lock()
	was := s.told
	s.told = ""
	s.mu.Unlock()
	if was != "" {
		s.Tell(fmt.Sprintf("--push: %s takes profiles again", s.Endpoint))
	}
}
