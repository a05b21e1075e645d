package push

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"stacksnap/format/output"
)

// server is a server that answers by hand.
type server struct {
	t       *testing.T
	answers []any // answer or error, one after another; the last stays
	got     []string
	headers [][]Header
	came    chan string // each body, where somebody waits for it
}

func (s *server) post(_ context.Context, r *request) (answer, error) {
	body, err := io.ReadAll(r.body)
	if err != nil || int64(len(body)) != r.size {
		s.t.Errorf("%d of %d bytes: %v", len(body), r.size, err)
	}
	if s.came != nil {
		defer func() { s.came <- string(body) }()
	}
	s.headers = append(s.headers, r.headers)
	next := any(answer{code: 200})
	if len(s.answers) > 0 {
		if next = s.answers[0]; len(s.answers) > 1 {
			s.answers = s.answers[1:]
		}
	}
	if err, ok := next.(error); ok {
		return answer{}, err
	}
	a := next.(answer)
	s.got = append(s.got, string(body)+"→"+map[bool]string{true: "ok", false: "no"}[a.code == 200])
	return a, nil
}

func (s *server) all() string { return strings.Join(s.got, " ") }

// sender sends to a server by hand, with a spool of its own.
func sender(t *testing.T, address string, s *server) (*Sender, *[]string) {
	t.Helper()
	to, err := ParseEndpoint(address, none)
	if err != nil {
		t.Fatal(err)
	}
	spool, err := output.OpenSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spool.Close() })
	spool.MaxBytes, spool.MaxAge = 1000, time.Hour
	lines := &[]string{}
	out := NewSender(to, "stacksnap/1", spool, "", none, func(line string) { *lines = append(*lines, line) })
	out.post = s.post
	out.wait = func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }
	return out, lines
}

func none(string) string { return "" }
