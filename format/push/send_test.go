package push

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const here = "http://localhost:4318"

var errAway = errors.New("nobody there")

// TestSendInOrder what waits, once, the oldest first.
func TestSendInOrder(t *testing.T) {
	web := &server{t: t}
	s, lines := sender(t, here, web)
	for _, body := range []string{"a", "b", "c"} {
		s.Add([]byte(body))
	}
	for range 2 {
		if lost, err := s.Send(t.Context(), time.Second); err != nil || len(lost) > 0 {
			t.Fatal(lost, err)
		}
	}
	if web.all() != "a→ok b→ok c→ok" || s.Waiting() != 0 || len(*lines) > 0 {
		t.Errorf("%s, %d wait, %q", web.all(), s.Waiting(), *lines)
	}
}

// TestSendLooksOnce at what there is, not before each.
func TestSendLooksOnce(t *testing.T) {
	web := &server{t: t}
	s, _ := sender(t, here, web)
	for range 20 {
		s.Add([]byte("a"))
	}
	looks := 0
	s.Spool.Now = func() time.Time { looks++; return time.Now() } // of each look, for the age of what is there
	if _, err := s.Send(t.Context(), time.Second); err != nil || len(web.got) != 20 || looks > 2 {
		t.Errorf("%d looks for %s: %v", looks, web.all(), err)
	}
}

// TestSendAgain until the server is ready, and no other before that.
func TestSendAgain(t *testing.T) {
	web := &server{t: t, answers: []any{errAway, answer{code: 503}, answer{code: 429, after: "0"}, errAway, answer{code: 200}}}
	s, lines := sender(t, here, web)
	s.Add([]byte("a"))
	s.Add([]byte("b"))
	if _, err := s.Send(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if web.all() != "a→no a→no a→ok b→ok" {
		t.Error(web.all())
	}
	if len(*lines) != 2 || !strings.Contains((*lines)[0], "nobody there; what is not sent waits in") || !strings.Contains((*lines)[1], "takes profiles again") {
		t.Errorf("%q", *lines)
	}
}

// TestSendGivesUp when the server was not ready for long enough: all is kept.
func TestSendGivesUp(t *testing.T) {
	web := &server{t: t, answers: []any{answer{code: 503, after: "30"}}}
	s, lines := sender(t, here, web)
	s.Add([]byte("a"))
	lost, err := s.Send(t.Context(), 10*time.Second)
	if err == nil || !strings.Contains(err.Error(), "answered 503") || len(lost) > 0 || s.Waiting() != 1 || web.all() != "a→no" || len(*lines) > 0 {
		t.Errorf("%v, %v, %d wait, %s, %q", lost, err, s.Waiting(), web.all(), *lines)
	}
	web.answers = nil
	if _, err := s.Send(t.Context(), time.Second); err != nil || s.Waiting() != 0 {
		t.Error(err, s.Waiting())
	}
}

// TestSendRefused: what a server will never take goes, and what follows is sent.
func TestSendRefused(t *testing.T) {
	for _, c := range []struct {
		address string
		code    int
		lost    bool
	}{{here, 400, true}, {here, 413, true}, {here, 422, true}, {here, 500, true}, {"pyroscope+" + here, 400, true}} {
		web := &server{t: t, answers: []any{answer{code: c.code}, answer{code: 200}}}
		s, _ := sender(t, c.address, web)
		s.Add([]byte("a"))
		s.Add([]byte("b"))
		lost, err := s.Send(t.Context(), time.Second)
		if err != nil || len(lost) != 1 || !strings.HasSuffix(lost[0], "; a profile is given up") || web.all() != "a→no b→ok" || s.Waiting() != 0 {
			t.Errorf("%d: %v, %v, %s", c.code, lost, err, web.all())
		}
	}
}

// TestSendBarred: where a server takes nothing, all is kept, and it is asked no more.
func TestSendBarred(t *testing.T) {
	for _, code := range []int{301, 401, 403, 404, 415} {
		web := &server{t: t, answers: []any{answer{code: code}}}
		s, _ := sender(t, here, web)
		s.Add([]byte("a"))
		if lost, err := s.Send(t.Context(), 0); err == nil || len(lost) > 0 || s.Waiting() != 1 || len(web.got) != 1 {
			t.Errorf("%d: %v, %v, %s", code, lost, err, web.all())
		}
	}
}

// TestPyroscopeIsAskedAgain after an error of its own.
func TestPyroscopeIsAskedAgain(t *testing.T) {
	web := &server{t: t, answers: []any{answer{code: 500}, answer{code: 200}}}
	s, _ := sender(t, "pyroscope+http://localhost:4040", web)
	s.Add([]byte("a"))
	if lost, err := s.Send(t.Context(), 0); err != nil || len(lost) > 0 || web.all() != "a→no a→ok" {
		t.Errorf("%v, %v, %s", lost, err, web.all())
	}
}

// TestSendFromMemory what the disk does not take, in bounds.
func TestSendFromMemory(t *testing.T) {
	web := &server{t: t}
	s, lines := sender(t, here, web)
	large := strings.Repeat("x", 2000)
	s.Add([]byte(large))
	s.Add([]byte("small"))
	if s.Held() != 1 || s.Waiting() != 1 || len(*lines) != 1 || !strings.Contains((*lines)[0], "is sent from memory") {
		t.Fatalf("%d held, %d wait, %q", s.Held(), s.Waiting(), *lines)
	}
	if _, err := s.Send(t.Context(), time.Second); err != nil || web.all() != "small→ok "+large+"→ok" || s.Held() != 0 {
		t.Errorf("%v, %d held", err, s.Held())
	}
	s.Spool.MaxBytes = 0
	s.Add(make([]byte, maxHeld/2))
	s.Add(make([]byte, maxHeld/2))
	if s.Held() != 2 {
		t.Errorf("%d held", s.Held())
	}
	if s.Add([]byte("y")); s.Held() != 2 {
		t.Errorf("%d held", s.Held())
	}
	*lines = nil
	if s.Add(make([]byte, maxHeld+1)); s.Held() != 2 || len(*lines) != 1 || !strings.Contains((*lines)[0], "is given up") {
		t.Errorf("%d held, %q", s.Held(), *lines)
	}
	if s.Add(make([]byte, maxHeld)); s.Held() != 1 {
		t.Errorf("%d held", s.Held())
	}
}

// TestSendOneAtATime: of two programs one sends, and the other says so.
func TestSendOneAtATime(t *testing.T) {
	web := &server{t: t}
	s, _ := sender(t, here, web)
	s.Add([]byte("a"))
	release, ok, err := s.Spool.Lock()
	if !ok || err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), lockWait/2); !errors.Is(err, errTaken) || s.Waiting() != 1 {
		t.Errorf("%v, %d wait", err, s.Waiting())
	}
	release()
	if _, err := s.Send(t.Context(), lockWait/2); err != nil || s.Waiting() != 0 {
		t.Error(err)
	}
}

// TestSendUnlocked: where the spool cannot be locked what is in memory is sent, the rest
// is kept, and why is told.
func TestSendUnlocked(t *testing.T) {
	web := &server{t: t}
	s, _ := sender(t, here, web)
	if err := os.Mkdir(filepath.Join(s.Spool.Path(), ".lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 2000)
	s.Add([]byte("small"))
	s.Add([]byte(large))
	if _, err := s.Send(t.Context(), time.Second); err == nil || !strings.Contains(err.Error(), ".lock") {
		t.Error(err)
	}
	if web.all() != large+"→ok" || s.Waiting() != 1 || s.Held() != 0 {
		t.Errorf("%d wait, %d held", s.Waiting(), s.Held())
	}
}

// TestRun sends what is added meanwhile, and at the end what is left.
func TestRun(t *testing.T) {
	web := &server{t: t, came: make(chan string, 9)}
	s, lines := sender(t, here, web)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	s.Add([]byte("a"))
	go func() { defer close(done); s.Run(ctx, time.Minute) }()
	<-web.came
	s.Add([]byte("b"))
	<-web.came
	stop()
	<-done
	s.Add([]byte("c"))
	s.Run(ctx, time.Minute) // which is over
	if web.all() != "a→ok b→ok c→ok" || len(*lines) > 0 {
		t.Errorf("%s, %q", web.all(), *lines)
	}
}

// TestRunEndsBeforeItIsAnswered says nothing of its own end.
func TestRunEndsBeforeItIsAnswered(t *testing.T) {
	s, lines := sender(t, here, &server{t: t})
	asked := make(chan bool)
	s.post = func(ctx context.Context, _ *request) (answer, error) {
		asked <- true
		<-ctx.Done()
		return answer{}, context.Cause(ctx)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	s.Add([]byte("a"))
	go func() { defer close(done); s.Run(ctx, 0) }()
	<-asked
	stop()
	<-done
	if len(*lines) > 0 || s.Waiting() != 1 {
		t.Errorf("%q, %d wait", *lines, s.Waiting())
	}
}

// TestBackoff grows to a bound, is never less than what the server wants, and differs.
func TestBackoff(t *testing.T) {
	var b backoff
	var waits []time.Duration
	for i := range 40 {
		d := b.next(0)
		whole := min(firstWait<<min(i, 16), lastWait)
		if d < whole/2 || d > whole {
			t.Errorf("wait %d is %v, not half to all of %v", i, d, whole)
		}
		waits = append(waits, d)
	}
	slices.Sort(waits)
	if n := len(slices.Compact(waits)); n < 20 {
		t.Errorf("only %d waits differ", n)
	}
	if d := b.next(5 * time.Minute); d != 5*time.Minute {
		t.Error(d)
	}
}
