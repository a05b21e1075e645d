package push

import (
	"context"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestSendOnce what cannot be taken out of the spool: that is told, and what follows is
// kept.
func TestSendOnce(t *testing.T) {
	for code, want := range map[int]string{200: "a→ok", 400: "a→no"} {
		web := &server{t: t, answers: []any{answer{code: code}, answer{code: 200}}}
		s, _ := sender(t, here, web)
		s.Add([]byte("a"))
		s.Add([]byte("b"))
		release := nail(t, s)
		for range 2 {
			if _, err := s.Send(expiring(t), 0); err == nil || web.all() != want || s.Waiting() != 2 {
				t.Errorf("%d: %s, %d wait: %v", code, web.all(), s.Waiting(), err)
			}
		}
		release()
		if _, err := s.Send(expiring(t), 0); err != nil || web.all() != want+" b→ok" || s.Waiting() != 0 {
			t.Errorf("%d: %s, %d wait: %v", code, web.all(), s.Waiting(), err)
		}
	}
}

// expiring ends a test that would go on for ever.
func expiring(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(stop)
	return ctx
}

// nail has nobody remove the oldest letter until it is released: something is mounted there.
func nail(t *testing.T, s *Sender) (release func()) {
	t.Helper()
	letters, _, err := s.Spool.Letters()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Spool.Path(), letters[0].Name)
	if err := syscall.Mount(path, path, "", syscall.MS_BIND, ""); err != nil {
		needs.Feature(t, "mounts", err, fs.ErrPermission)
	}
	release = func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) }
	t.Cleanup(release)
	return release
}
