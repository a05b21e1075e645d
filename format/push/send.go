package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// errTaken is returned while another program sends from the spool.
var errTaken = errors.New("another stacksnap sends what waits there")

// Send sends all queued uploads, the oldest first. It retries a server that is not ready,
// with growing pauses, until it has been unready for patience, or until ctx is done if
// patience is 0. lost describes uploads that the server will never accept and that were
// dropped. err is why some uploads are still waiting.
func (s *Sender) Send(ctx context.Context, patience time.Duration) (lost []string, err error) {
	return s.send(&patient{ctx: ctx, attempt: ctx, patience: patience, since: time.Now()})
}

// patient is how long to keep retrying.
type patient struct {
	ctx, attempt context.Context // contexts of the waits and of a request
	patience     time.Duration
	since        time.Time // time when the server was last ready
	backoff      backoff
}

// bears reports whether a wait of d is within the patience.
func (p *patient) bears(d time.Duration) bool {
	return p.patience == 0 || time.Since(p.since)+d <= p.patience
}

func (p *patient) ready() { p.since, p.backoff = time.Now(), backoff{} }

func (s *Sender) send(p *patient) (lost []string, err error) {
	release, unlocked := s.lock(p)
	switch {
	case errors.Is(unlocked, errTaken):
		return nil, unlocked
	case unlocked == nil:
		defer release()
	}
	lost, err = s.drain(p, unlocked == nil) // without the lock, only from memory
	return lost, cmp.Or(err, unlocked)
}

// lock locks the spool, and waits while another program sends from it.
func (s *Sender) lock(p *patient) (release func(), err error) {
	for {
		release, ok, err := s.Spool.Lock()
		if ok || err != nil {
			return release, err
		}
		if !p.bears(lockWait) || !s.wait(p.ctx, lockWait) {
			return nil, errTaken
		}
	}
}

// drain sends one upload after another.
func (s *Sender) drain(p *patient, spooled bool) (lost []string, err error) {
	q := queue{Sender: s, spooled: spooled}
	for p.ctx.Err() == nil {
		l, err := q.next()
		if l == nil || err != nil {
			return lost, err
		}
		came, err := s.try(p.attempt, l)
		l.close()
		switch came.verdict {
		case barred:
			return lost, errors.New(came.said)
		case later:
			if !s.bear(p, came.wait, err) {
				return lost, err
			}
			q.listed = nil // list again: this one is still the next, unless it was dropped
			continue
		}
		p.ready()
		if err := l.done(); err != nil {
			return lost, err
		}
		if came.verdict == refused {
			lost = append(lost, came.said+"; a profile is given up")
		} else {
			s.taken(came.said)
		}
	}
	return lost, context.Cause(p.ctx)
}

// bear waits before the next attempt; it returns false if that exceeds the patience.
func (s *Sender) bear(p *patient, wanted time.Duration, err error) bool {
	wait := p.backoff.next(wanted)
	if !p.bears(wait) {
		return false
	}
	if p.patience == 0 && p.attempt.Err() == nil { // at the end of a watch, its caller reports it
		s.trouble(err)
	}
	s.wait(p.ctx, wait)
	return true
}

// outcome is the result of one request.
type outcome struct {
	verdict verdict
	said    string
	wait    time.Duration // wait that the server asks for
}

// try sends one upload. The error is why it should be tried again.
func (s *Sender) try(ctx context.Context, l *letter) (outcome, error) {
	headers, err := s.Headers()
	if err != nil {
		return outcome{verdict: barred, said: err.Error()}, err
	}
	p := s.Endpoint.Protocol
	a, err := s.post(ctx, &request{endpoint: s.Endpoint, agent: s.Agent, headers: headers, files: certificateFiles(s.Getenv), body: l.body, size: l.size})
	if err != nil {
		return outcome{verdict: later}, fmt.Errorf("%s: %w", s.Endpoint, err)
	}
	came := outcome{verdict: a.verdict(p), wait: a.wait(time.Now())}
	if came.verdict == taken {
		came.said = redacted(a.partly(p), headers)
		return came, nil
	}
	came.said = fmt.Sprintf("%s answered %d", s.Endpoint, a.code)
	if text := redacted(a.says(p), headers); text != "" {
		came.said += ": " + text
	}
	return came, errors.New(came.said)
}

// taken records a success, and reports what the server rejected in part.
func (s *Sender) taken(partly string) {
	s.calm()
	if partly != "" {
		s.Tell(fmt.Sprintf("--push: %s took a profile, and %s", s.Endpoint, partly))
	}
}
