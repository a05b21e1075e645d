package push

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stacksnap/task/needs"
)

func needCurl(t *testing.T) {
	t.Helper()
	needs.Tool(t, "curl")
	_, err := os.Stat("/dev/fd")
	needs.Feature(t, "/dev/fd", err, fs.ErrNotExist)
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// post sends by curl to a server.
func post(t *testing.T, address string, body io.Reader, size int, headers ...Header) (answer, error) {
	t.Helper()
	r := &request{endpoint: endpoint(t, address), agent: "stacksnap/1", headers: headers, body: body, size: int64(size)}
	return r.send(t.Context())
}

// TestCurl sends a file and what is in memory as servers want it, with headers of any
// text.
func TestCurl(t *testing.T) {
	needCurl(t)
	var got *http.Request
	var body string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		b, err := io.ReadAll(z)
		if body = string(b); err != nil {
			t.Error(err)
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("\x12\x04busy"))
	}))
	t.Cleanup(web.Close)
	large := strings.Repeat("all of it, ", 100_000)
	whole := packed(t, large)
	path := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	odd := Header{"X-Odd", `a "b" \c = # é` + "\td"}
	for address, want := range map[string]string{web.URL: "application/x-protobuf", "pyroscope+" + web.URL: "application/proto"} {
		for _, from := range []io.Reader{f, bytes.NewReader(whole)} {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			a, err := post(t, address, from, len(whole), odd, Header{"Authorization", "Bearer s3cret"})
			if err != nil || a.code != 503 || a.wait(time.Now()) != 7*time.Second || a.says(OTLP) != "busy" {
				t.Fatalf("%+v, %v", a, err)
			}
			h := got.Header
			if got.Method != http.MethodPost || body != large || h.Get("Content-Type") != want || h.Get("User-Agent") != "stacksnap/1" ||
				h.Get("X-Odd") != odd.Value || h.Get("Authorization") != "Bearer s3cret" || h.Get("Expect") != "" || got.ContentLength != int64(len(whole)) {
				t.Errorf("%s %s of %d bytes, %d as packed: %v", got.Method, got.URL, len(body), got.ContentLength, h)
			}
			if version := h.Get("Otlp-Profiles-Development-Version"); (version == "1") != (want == "application/x-protobuf") {
				t.Errorf("%s: version %q", address, version)
			}
		}
	}
}

// TestHalfABody, as of a program that is killed while it sends, reaches no server as a
// whole one.
func TestHalfABody(t *testing.T) {
	needCurl(t)
	read := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadFull(r.Body, make([]byte, 4))
		stop() // curl is killed, too
		_, restErr := io.ReadAll(r.Body)
		if err == nil {
			err = restErr
		}
		read <- err
	}))
	t.Cleanup(web.Close)
	r := &request{endpoint: endpoint(t, web.URL), agent: "stacksnap/1", body: strings.NewReader("half"), size: 8}
	if _, err := r.send(ctx); err == nil {
		t.Error("it was answered")
	}
	if err := <-read; err == nil {
		t.Error("half was taken for all")
	}
}

// TestTLS trusts the roots that SSL_CERT_FILE has, and no others.
func TestTLS(t *testing.T) {
	needCurl(t)
	web := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(web.Close)
	if _, err := post(t, web.URL, strings.NewReader("x"), 1); err == nil || !strings.Contains(strings.ToLower(err.Error()), "certificate") {
		t.Errorf("without its root: %v", err)
	}
	root := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, values := range []map[string]string{{"SSL_CERT_FILE": root}, {"SSL_CERT_FILE": "none", "OTEL_EXPORTER_OTLP_CERTIFICATE": root}} {
		r := &request{endpoint: endpoint(t, web.URL), agent: "x", body: strings.NewReader("x"), size: 1, files: certificateFiles(env(values))}
		if a, err := r.send(t.Context()); err != nil || a.code != 200 {
			t.Errorf("with %v: %v, %v", values, a, err)
		}
	}
}

// TestNobodyThere is told without the address's secrets.
func TestNobodyThere(t *testing.T) {
	needCurl(t)
	e, err := ParseEndpoint("env", env(map[string]string{profilesVariable: "http://127.0.0.1:1/x?key=secret"}))
	if err != nil {
		t.Fatal(err)
	}
	r := &request{endpoint: e, agent: "x", headers: []Header{{"A", "secret"}}, body: strings.NewReader("x"), size: 1}
	if _, err := r.send(t.Context()); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "onnect") {
		t.Error(err)
	}
}

// TestParseAnswer passes over those that announce another.
func TestParseAnswer(t *testing.T) {
	for text, want := range map[string]int{
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\nbody": 200, "HTTP/2 429 \r\nretry-after: 5\r\n\r\n": 429, "HTTP/1.1 200 OK\r\n\r\n": 200,
		"": 0, "HTTP/1.1 200 OK\r\n": 0, "ICY 200 OK\r\n\r\n": 0, "HTTP/1.1 x\r\n\r\n": 0, "HTTP/1.1 100 Continue\r\n\r\n": 0, "HTTP/1.1 99 x\r\n\r\n": 0,
	} {
		a, err := parseAnswer([]byte(text))
		if a.code != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
	}
	a, _ := parseAnswer([]byte("HTTP/2 429 \r\nretry-after: 5\r\n\r\nbody"))
	if a.wait(time.Now()) != 5*time.Second || string(a.body) != "body" {
		t.Errorf("%+v", a)
	}
}

// TestWait reads seconds and dates, and believes no server for ever.
func TestWait(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for after, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "-3": 0, "999999": maxWait, "x": 0,
		"Mon, 23 Nov 2026 12:00:20 GMT": 20 * time.Second, "Mon, 23 Nov 2026 11:00:00 GMT": 0, "Tue, 24 Nov 2026 12:00:00 GMT": maxWait,
	} {
		if got := (&answer{after: after}).wait(now); got != want {
			t.Errorf("%q: %v, want %v", after, got, want)
		}
	}
}

// TestSays what servers say of errors, and nothing of what cannot be read.
func TestSays(t *testing.T) {
	for _, c := range []struct {
		p    Protocol
		body string
		want string
	}{
		{OTLP, "\x08\x03\x12\x03bad", "bad"}, {OTLP, "<html>", ""}, {OTLP, "", ""}, {OTLP, "\x12\x09\x1b[31mevil", `\x1b[31mevil`},
		{Pyroscope, `{"code":"unauthenticated","message":"no tenant"}`, "no tenant"}, {Pyroscope, "<html>", ""},
	} {
		if got := (&answer{body: []byte(c.body)}).says(c.p); got != c.want {
			t.Errorf("%q: %q, want %q", c.body, got, c.want)
		}
	}
	partly := answer{body: []byte("\x0a\x07\x08\x02\x12\x03bad")}
	if got := partly.partly(OTLP); got != "it rejected 2 of the profiles: bad" {
		t.Error(got)
	}
	if got := (&answer{}).partly(OTLP); got != "" {
		t.Error(got)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, s := range []string{"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\nRetry-After: 3\r\n\r\n\x0a\x02\x08\x02", "HTTP/2 503\r\n\r\n{\"message\":\"x\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := parseAnswer(text)
		if err == nil && a.code < 200 {
			t.Errorf("%+v", a)
		}
		for _, p := range []Protocol{OTLP, Pyroscope} {
			a.says(p)
			a.partly(p)
		}
		if d := a.wait(time.Now()); d < 0 || d > maxWait {
			t.Error(d)
		}
	})
}

// TestAnEndlessAnswer is read as far as answers are, and its server is left then.
func TestAnEndlessAnswer(t *testing.T) {
	needCurl(t)
	var sent atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		chunk := make([]byte, 64<<10)
		for sent.Load() < 1<<30 {
			n, err := w.Write(chunk)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(web.Close)
	a, err := post(t, web.URL, strings.NewReader("x"), 1)
	if err != nil || a.code != 200 || len(a.body) > maxAnswer {
		t.Errorf("%d, %d bytes, %v", a.code, len(a.body), err)
	}
	web.Close() // when the handler has returned
	if n := sent.Load(); n > 100<<20 {
		t.Errorf("the server got rid of %d MB", n>>20)
	}
}
