package pyroscope

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
)

// server is a Pyroscope that keeps what it is sent.
type server struct {
	mu     sync.Mutex
	got    []*pushv1.RawProfileSeries
	tokens []string
	fail   []error // what it answers at first
}

func (s *server) Push(_ context.Context, r *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = append(s.tokens, r.Header().Get("Authorization"))
	if len(s.fail) > 0 {
		err := s.fail[0]
		s.fail = s.fail[1:]
		return nil, err
	}
	s.got = append(s.got, r.Msg.Series...)
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

func serve(t *testing.T, s *server) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(pushv1connect.NewPusherServiceHandler(s))
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return "pyroscope+" + web.URL
}

// stacksnap runs it, with a spool and an environment of its own.
func stacksnap(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	if _, err := exec.LookPath("curl"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("needs curl: not installed")
	}
	t.Setenv("STACKSNAP_FLAGS", "")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	b, err := exec.Command(program, args...).CombinedOutput()
	return string(b), err
}

var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pyroscope")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "stacksnap")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir, cmd.Stderr = filepath.Join("..", ".."), os.Stderr
	if cmd.Run() != nil {
		return 1
	}
	return m.Run()
}

const document = "../../format/testdata/sampled.json"

// parsed is what Pyroscope would store of a series.
func parsed(t *testing.T, s *pushv1.RawProfileSeries) (labels map[string]string, p *profile.Profile) {
	t.Helper()
	labels = map[string]string{}
	for _, l := range s.Labels {
		if labels[l.Name] != "" {
			t.Errorf("label %s is there twice", l.Name)
		}
		labels[l.Name] = l.Value
	}
	if len(s.Samples) != 1 || len(s.Samples[0].ID) != 36 {
		t.Fatalf("%d profiles, of id %q", len(s.Samples), s.Samples[0].ID)
	}
	p, err := profile.ParseData(s.Samples[0].RawProfile)
	if err != nil {
		t.Fatal(err)
	}
	return labels, p
}

// TestPush: what comes has all samples, and labels that Pyroscope makes series of, which
// are few.
func TestPush(t *testing.T) {
	s := &server{}
	out := filepath.Join(t.TempDir(), "it.pb.gz")
	token := filepath.Join(t.TempDir(), "token")
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("1:secret"))
	if err := os.WriteFile(token, []byte("Authorization: "+basic+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := stacksnap(t, document, "-o", out, "--push", serve(t, s), "--push-headers", token); err != nil || said != "" {
		t.Fatal(err, said)
	}
	labels, p := parsed(t, s.got[0])
	want := map[string]string{"__name__": "process_cpu", "service_name": "demo", "pid": "4242"}
	if !maps.Equal(labels, want) || s.tokens[0] != basic {
		t.Errorf("labels %v, want %v", labels, want)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := profile.ParseData(b)
	if err != nil {
		t.Fatal(err)
	}
	if sums(p) != sums(whole) || len(p.Sample) == 0 || len(p.Mapping) != len(whole.Mapping) {
		t.Errorf("%v, want %v", sums(p), sums(whole))
	}
	for _, s := range p.Sample {
		for key := range s.Label {
			if key != "thread" {
				t.Errorf("label %s makes a series", key)
			}
		}
	}
}

// sums are the values of all samples.
func sums(p *profile.Profile) (sum [3]int64) {
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	return sum
}

// TestErrors: what is not ready is asked again, and what it says is told; but no token.
func TestErrors(t *testing.T) {
	s := &server{fail: []error{connect.NewError(connect.CodeUnavailable, errors.New("not yet")), connect.NewError(connect.CodeInternal, errors.New("oops"))}}
	if said, err := stacksnap(t, document, "-o", os.DevNull, "--push", serve(t, s)); err != nil || said != "" || len(s.got) != 1 || len(s.tokens) != 3 {
		t.Errorf("%v, %q, %d came by %d requests", err, said, len(s.got), len(s.tokens))
	}
	t.Setenv("STACKSNAP_PUSH_HEADERS", "authorization=Bearer%20s3cr3t")
	s = &server{fail: []error{connect.NewError(connect.CodeUnauthenticated, errors.New("who is s3cr3t?"))}}
	said, err := stacksnap(t, document, "-o", os.DevNull, "--push", serve(t, s))
	if err != nil || !strings.Contains(said, "answered 401: who is …?; a profile waits in ") || strings.Contains(said, "s3cr3t") || s.tokens[0] != "Bearer s3cr3t" {
		t.Errorf("%v, %q", err, said)
	}
	s = &server{fail: []error{connect.NewError(connect.CodeInvalidArgument, errors.New("no"))}}
	said, err = stacksnap(t, document, "-o", os.DevNull, "--push", serve(t, s))
	if err == nil || !strings.Contains(said, "answered 400: no; a profile is given up") {
		t.Errorf("%v, %q", err, said)
	}
}

// TestWatch tells host and pid, and of each report whether it is of a hang.
func TestWatch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs linux")
	}
	sleep := exec.Command("sleep", "600")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleep.Process.Kill(); _ = sleep.Wait() }()
	s := &server{}
	said, err := stacksnap(t, "-p", strconv.Itoa(sleep.Process.Pid), "--every", "50ms", "-n", "3", "-f", "summary", "--push", serve(t, s))
	if err != nil || len(s.got) != 3 {
		t.Fatalf("%v, %s, %d came", err, said, len(s.got))
	}
	var times []int64
	for _, one := range s.got {
		labels, p := parsed(t, one)
		host, _ := os.Hostname()
		if labels["hang"] != "no" || labels["pid"] != strconv.Itoa(sleep.Process.Pid) || labels["host"] != host {
			t.Errorf("%v", labels)
		}
		times = append(times, p.TimeNanos)
	}
	if !slices.IsSorted(times) {
		t.Error("they come in another order")
	}
}
