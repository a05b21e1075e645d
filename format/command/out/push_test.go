package out

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/command/cli"
	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/push"
	"stacksnap/format/report"
	"stacksnap/task/live"
)

// reporterOf is a call with an environment by hand.
func reporterOf(t *testing.T, args string, values map[string]string) *Reporter {
	t.Helper()
	o, err := cli.Parse(strings.Fields(args), "", live.Runs)
	if err != nil {
		t.Fatal(err)
	}
	s := Streams{Getenv: func(name string) string { return values[name] }, Out: os.Stdout, Err: os.Stderr}
	return &Reporter{Streams: s, Options: o, Release: func() {}, OnReport: func([]*profile.Image) {}}
}

// TestSpoolFolder is that of --spool, of systemd's service, or of the user.
func TestSpoolFolder(t *testing.T) {
	for _, c := range []struct {
		args   string
		values map[string]string
		want   string
	}{
		{" --spool s", map[string]string{"STATE_DIRECTORY": "/a", "HOME": "/h"}, "s"},
		{"", map[string]string{"STATE_DIRECTORY": "/a:/b", "XDG_STATE_HOME": "/x"}, "/a/push"},
		{"", map[string]string{"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/stacksnap/push"},
		{"", map[string]string{"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/stacksnap/push"},
		{"", map[string]string{"HOME": "h"}, ""},
	} {
		got, err := reporterOf(t, "-p 1 --push http://h"+c.args, c.values).spoolFolder()
		if filepath.ToSlash(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s, %v: %q, %v", c.args, c.values, got, err)
		}
	}
}

// TestOpenPush refuses before anything is captured what could never be sent, and tells no
// secret.
func TestOpenPush(t *testing.T) {
	dir := t.TempDir()
	for args, isUsage := range map[string]bool{
		"--push http://u:secret@h --spool " + dir: true, "--push h:secret --spool " + dir: true, "--push env --spool " + dir: true, "--push http://h": true,
		"--push http://h --push-headers none --spool " + dir: false,
	} {
		err := reporterOf(t, "-p 1 "+args, nil).OpenPush()
		if args == "--push http://h" && err != nil && strings.Contains(err.Error(), "curl") {
			continue // which is not here
		}
		if err == nil || errors.As(err, new(cli.UsageError)) != isUsage || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", args, err)
		}
	}
	if err := reporterOf(t, "-p 1", nil).OpenPush(); err != nil {
		t.Error(err)
	}
	bad := reporterOf(t, "-p 1 --push http://h --spool "+dir, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "secret"})
	if err := bad.OpenPush(); err == nil || strings.Contains(err.Error(), "secret") || errors.Is(err, errNoSpool) {
		t.Error(err)
	}
}

// TestQueue keeps of a profile what is asked for, and does nothing where none is pushed.
func TestQueue(t *testing.T) {
	p := &profile.Profile{Snapshots: 3, Threads: []*profile.Thread{{ID: 1, Samples: 3}}}
	for _, name := range []string{"wanted", "unwanted"} {
		p.Threads[0].Roots = append(p.Threads[0].Roots, &profile.Node{Location: profile.Location{Function: name}, PC: 1, Count: 1, Self: 1})
	}
	g := &profile.Group{Profiles: []*profile.Profile{p}}
	c := reporterOf(t, "-p 1 --focus ^wanted --push http://h", nil)
	if n := testing.AllocsPerRun(10, func() { _ = c.Queue(g, nil) }); n > 0 {
		t.Errorf("%v allocations without a sender", n)
	}
	to, err := push.ParseEndpoint(c.Push, c.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	spool, err := output.OpenSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	spool.MaxBytes, spool.MaxAge = push.MaxSpoolBytes, push.MaxSpoolAge
	c.sender = push.NewSender(to, "", spool, "", c.Getenv, func(line string) { t.Error(line) })
	if err := c.Queue(g, nil); err != nil {
		t.Fatal(err)
	}
	letters, _, _ := spool.Letters()
	f, err := spool.Open(letters[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(unpacked)
	if err != nil || !bytes.Contains(body, []byte("wanted")) || bytes.Contains(body, []byte("unwanted")) {
		t.Errorf("%q, %v", body, err)
	}
}

// TestOrigin is of this machine where it was captured here.
func TestOrigin(t *testing.T) {
	host, _ := os.Hostname()
	values := map[string]string{"OTEL_SERVICE_NAME": "shop", "OTEL_RESOURCE_ATTRIBUTES": "team=a%2Cb, env = prod ,=x,y,bad=%zz"}
	want := report.Origin{Host: host, Service: "shop", Attributes: []report.Attribute{{Key: "team", Value: "a,b"}, {Key: "env", Value: "prod"}}}
	if diff := cmp.Diff(want, reporterOf(t, "-p 1", values).origin()); diff != "" {
		t.Error(diff)
	}
	file := filepath.Join(t.TempDir(), "it.snap")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := reporterOf(t, file, nil).origin(); o.Host != "" {
		t.Errorf("%+v", o)
	}
}
