package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format"
)

// callOf is a call with an environment by hand.
func callOf(t *testing.T, args string, values map[string]string) *call {
	t.Helper()
	o, err := parse(strings.Fields(args), "")
	if err != nil {
		t.Fatal(err)
	}
	c := Command{Getenv: func(name string) string { return values[name] }, Out: os.Stdout, Err: os.Stderr, Release: func() {}}
	return &call{Command: c, options: o}
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
		got, err := callOf(t, "-p 1 --push http://h"+c.args, c.values).spoolFolder()
		if filepath.ToSlash(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s, %v: %q, %v", c.args, c.values, got, err)
		}
	}
}

// TestOpenPush refuses before anything is captured what could never be sent, and tells no
// secret.
func TestOpenPush(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]int{
		"--push http://u:secret@h --spool " + dir: exitUsage, "--push h:secret --spool " + dir: exitUsage, "--push env --spool " + dir: exitUsage, "--push http://h": exitUsage,
		"--push http://h --push-headers none --spool " + dir: exitFailure,
	} {
		err := callOf(t, "-p 1 "+args, nil).openPush()
		if args == "--push http://h" && err != nil && strings.Contains(err.Error(), "curl") {
			continue // which is not here
		}
		if err == nil || exitCode(err) != want || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", args, err)
		}
	}
	if err := callOf(t, "-p 1", nil).openPush(); err != nil {
		t.Error(err)
	}
	bad := callOf(t, "-p 1 --push http://h --spool "+dir, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "secret"})
	if err := bad.openPush(); err == nil || strings.Contains(err.Error(), "secret") || errors.Is(err, errNoSpool) {
		t.Error(err)
	}
}

// TestOrigin is of this machine where it was captured here.
func TestOrigin(t *testing.T) {
	host, _ := os.Hostname()
	values := map[string]string{"OTEL_SERVICE_NAME": "shop", "OTEL_RESOURCE_ATTRIBUTES": "team=a%2Cb, env = prod ,=x,y,bad=%zz"}
	want := format.Origin{Host: host, Service: "shop", Attributes: []format.Attribute{{Key: "team", Value: "a,b"}, {Key: "env", Value: "prod"}}}
	if diff := cmp.Diff(want, callOf(t, "-p 1", values).origin()); diff != "" {
		t.Error(diff)
	}
	file := filepath.Join(t.TempDir(), "it.snap")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := callOf(t, file, nil).origin(); o.Host != "" {
		t.Errorf("%+v", o)
	}
}
