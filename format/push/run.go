package push

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// recheck is the time after which a watch tries again to send what is left.
const recheck = 30 * time.Second

// Run sends queued and newly added uploads until ctx is done, and then what is left, for at
// most grace. It reports each failure once, and then its end.
func (s *Sender) Run(ctx context.Context, grace time.Duration) {
	attempt, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	hurry := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) }) // lets a request in flight finish
	defer hurry()
	for ctx.Err() == nil {
		lost, err := s.send(&patient{ctx: ctx, attempt: attempt, since: time.Now()})
		s.settle(lost, err)
		s.rest(ctx, err != nil)
	}
	s.settle(s.send(&patient{ctx: attempt, attempt: attempt, patience: grace, since: time.Now()}))
}

// rest waits until there is a new upload or, if some are waiting, for recheck.
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

// settle reports the errors of sending, except those of cancellation.
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

// trouble reports why uploads wait, unless that was reported already.
func (s *Sender) trouble(err error) {
	s.mu.Lock()
	again := s.told != ""
	s.told = err.Error()
	s.mu.Unlock()
	if !again {
		s.Tell(fmt.Sprintf("--push: %v; what is not sent waits in %s", err, s.Spool.Path()))
	}
}

// calm reports that a failure is over.
func (s *Sender) calm() {
	s.mu.Lock()
	was := s.told
	s.told = ""
	s.mu.Unlock()
	if was != "" {
		s.Tell(fmt.Sprintf("--push: %s takes profiles again", s.Endpoint))
	}
}
