package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// errTaken says that another program sends what is in the spool.
var errTaken = errors.New("another stacksnap sends what waits there")

// Send sends all that waits, the oldest first. A server that is not ready is asked again,
// after a while that grows, until it was not ready for as long as patience; 0: until ctx
// is done. The error says why something still waits; lost are lines on what the server
// will never take, and which is given up.
func (s *Sender) Send(ctx context.Context, patience time.Duration) (lost []string, err error) {
	return s.send(&patient{ctx: ctx, attempt: ctx, patience: patience, since: time.Now()})
}

// patient is how long a server is waited for.
type patient struct {
	ctx, attempt context.Context // of waiting, and of one request
	patience     time.Duration
	since        time.Time // when it was last ready
	backoff      backoff
}

// bears reports whether a further wait is worth it.
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
	lost, err = s.drain(p, unlocked == nil) // where nothing can be locked, what is in memory
	return lost, cmp.Or(err, unlocked)
}

// lock waits for another program that sends from the same spool.
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

// drain sends one after another.
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
			q.listed = nil // it is the next again, unless it had to go meanwhile
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

// bear waits until the server is to be asked again, if that is worth it.
func (s *Sender) bear(p *patient, wanted time.Duration, err error) bool {
	wait := p.backoff.next(wanted)
	if !p.bears(wait) {
		return false
	}
	if p.patience == 0 && p.attempt.Err() == nil { // else the end of the watch is the trouble
		s.trouble(err)
	}
	s.wait(p.ctx, wait)
	return true
}

// outcome is what came of a request.
type outcome struct {
	verdict verdict
	said    string
	wait    time.Duration // that the server wants
}

// try sends one. The error is why it is to be tried later.
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

// taken tells that a server has one, where there is anything to tell.
func (s *Sender) taken(partly string) {
	s.calm()
	if partly != "" {
		s.Tell(fmt.Sprintf("--push: %s took a profile, and %s", s.Endpoint, partly))
	}
}
