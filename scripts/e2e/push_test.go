//go:build linux

package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// collects is a server that takes profiles, and counts its requests.
type collects struct {
	mu     sync.Mutex
	bodies []string
	seen   []string // command lines of all processes, at each request
}

func (c *collects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b, err := io.ReadAll(z)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, string(b))
	for _, path := range lines {
		line, _ := os.ReadFile(path) // it may have ended
		c.seen = append(c.seen, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
}

// TestPushModes: in every mode what was captured comes, and is reported as without.
func TestPushModes(t *testing.T) {
	need(t, "curl")
	web := &collects{}
	server := httptest.NewServer(web)
	t.Cleanup(server.Close)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("STACKSNAP_PUSH_HEADERS", "authorization=Bearer%20very-secret")
	target := start(t, "sh", "-c", "echo ready; exec sleep 60")
	file := filepath.Join(t.TempDir(), "it.snap")
	for _, c := range []struct {
		args string
		want int
	}{
		{"-p " + pid(target) + " --save " + file, 1}, {"-p " + pid(target) + " -n 3", 1}, {"-p " + pid(target) + " --tree", 1},
		{"-p " + pid(target) + " --every 20ms -n 2", 2}, {file, 1}, {"-- sleep 0.1", 1},
	} {
		web.bodies = nil
		r := snap(t, strings.Fields("--push "+server.URL+" "+c.args)...)
		if r.code != exitOK || len(web.bodies) != c.want || !strings.Contains(r.out+r.err, "sleep") {
			t.Errorf("%s: exit code %d, %d came, want %d\n%s%s", c.args, r.code, len(web.bodies), c.want, r.out, r.err)
		}
		for _, body := range web.bodies {
			if !strings.Contains(body, "clock_nanosleep") || !strings.Contains(body, "process.executable.name") {
				t.Errorf("%s: %q", c.args, body)
			}
		}
	}
	found := false
	for _, line := range web.seen {
		found = found || strings.HasPrefix(line, "curl ")
		if strings.Contains(line, "very-secret") {
			t.Errorf("anybody can read: %s", line)
		}
	}
	if !found {
		t.Error("curl was not seen at work")
	}
}

// TestPushLater: what a server does not take is sent by the next call, before its own.
func TestPushLater(t *testing.T) {
	need(t, "curl")
	web := &collects{}
	away := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away {
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		web.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	spool := t.TempDir()
	first, second := start(t, "sh", "-c", "echo ready; exec sleep 61"), start(t, "sh", "-c", "echo ready; exec cat")
	r := snap(t, "-p", pid(first), "--push", server.URL, "--spool", spool)
	if r.code != exitOK || !strings.Contains(r.err, "answered 503; a profile waits in "+spool) {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
	away = false
	r = snap(t, "-p", pid(second), "--push", server.URL, "--spool", spool)
	if r.code != exitOK || r.err != "" || len(web.bodies) != 2 || !strings.Contains(web.bodies[0], "/sleep") || !strings.Contains(web.bodies[1], "/cat") {
		t.Errorf("exit code %d: %s, %d came", r.code, r.err, len(web.bodies))
	}
}
