//go:build linux

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestPairsOfFlags runs the command lines that the table of what may be combined
// allows for two flags (format/command/cli/testdata/pairs.txt), with -tags long all of
// them: each ends in order with a report, or, of a watch, with a line that says what
// has come of it.
func TestPairsOfFlags(t *testing.T) {
	b, err := os.ReadFile("../../format/command/cli/testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "deep", "-O2")
	t.Chdir(t.TempDir())
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	t.Setenv("DEBUGINFOD_URLS", server.URL)
	t.Setenv("DEBUGINFOD_CACHE_PATH", t.TempDir())
	collector := httptest.NewServer(&collects{})
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if err := os.WriteFile("TOKEN", []byte("Authorization: Bearer secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	withoutBrowser(t)
	_, err = exec.LookPath("curl")
	pushes := err == nil
	lines := make(chan string)
	var workers sync.WaitGroup
	for i := range 4 {
		name := fmt.Sprint("pair-", i, "-e2e")
		target := pid(start(t, copyOf(t, program, name), "2", "read"))
		blocksInRead(t, target)
		snap(t, "-p", target, "--save", "FILE")
		workers.Go(func() {
			for line := range lines {
				tryPair(t, line, target, name)
			}
		})
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		_, call, ok := strings.Cut(strings.TrimSpace(line), ": stacksnap ")
		ok = ok && !strings.Contains(call, "--only ") // the targets are not of Python
		if ok && (pushes || !strings.Contains(call, "--push ")) {
			if n++; isChosen(n) {
				lines <- call
			}
		}
	}
	close(lines)
	workers.Wait()
	if n < 300 {
		t.Errorf("only %d pairs", n)
	}
}

// withoutBrowser has --open end well, and show nothing.
func withoutBrowser(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func copyOf(t *testing.T, program, name string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), name)
	copyFile(t, program, to)
	return to
}

// tryPair runs one command line, with an end where it has none.
func tryPair(t *testing.T, call, pid, name string) {
	dir := t.TempDir()
	call = strings.NewReplacer("4711", pid, "sleep 0.1", "sleep 1", "--wait deep", "--wait "+name, "DIR", dir, "SPOOL", filepath.Join(dir, "spool"),
		"OUT", filepath.Join(dir, "out"), "SAVE", filepath.Join(dir, "it.snap")).Replace(call)
	args := strings.Fields(call)
	has := func(arg string) bool { return slices.Contains(args, arg) }
	if has("--system") && has("--save") && !has("--version") {
		if r := snap(t, args...); r.code != exitUsage || !strings.Contains(r.err, "--system --save keeps a stackshot, which only macOS makes") {
			t.Errorf("%s: exit code %d, %q", strings.Join(args, " "), r.code, r.err)
		}
		return
	}
	isWatch, isLaunch := has("--hang") || has("--every"), has("--")
	switch {
	case isWatch && !has("-d") && !has("-n"), has("--hang") && !has("-d"):
		args = append([]string{"-d", "50ms"}, args...)
	case !has("-d") && !has("-n") && !has("FILE") && (has("-i") || has("-r") || has("--no-stop") || has("--suspend") && has("thread")):
		args = append([]string{"-n", "3"}, args...)
	case isLaunch && has("--thread"): // nobody knows its pid
		args[slices.Index(args, "--thread")+1] = "*"
	}
	r := snap(t, args...)
	report := r.out + r.err
	files, _ := filepath.Glob(filepath.Join(dir, "out*"))
	for _, file := range files {
		report = string(opened(t, file))
	}
	isFolded := has("folded") || len(files) > 0 && strings.Contains(files[0], ".folded") && !has("json")
	wanted := map[bool]string{true: "watched " + pid, false: "Process:"}[isWatch]
	switch {
	case has("--version"):
		wanted = "stacksnap"
	case has("--check"):
		wanted = "Rights"
	case has("diff") && has(filepath.Join(dir, "out.html")) && !has("-f"):
		wanted = "<!DOCTYPE html>"
	case has("diff") && has("json"):
		wanted = `"schema": "stacksnap.diff"`
	case has("diff") && !isFolded:
		wanted = "Before:"
	case has("json"):
		wanted = map[bool]string{true: wanted, false: `"schema": "stacksnap.profile"`}[isWatch]
	case isFolded:
		wanted = ";"
	case has("summary") && !isWatch:
		wanted = "Sure: "
	case has(filepath.Join(dir, "out.html")) && !has("-f"):
		wanted = "<!DOCTYPE html>"
	}
	if has("--running") && (isFolded || strings.Contains(r.err, "no thread matches")) {
		return // none of them runs
	}
	if isLaunch && strings.Contains(r.err, "ended before it could be captured") {
		return // stacksnap had no processor for a second
	}
	if r.code != 0 || !strings.Contains(report, wanted) {
		t.Errorf("%s: exit code %d, %q; no %q in\n%.300s", strings.Join(args, " "), r.code, r.err, wanted, report)
	}
	if _, err := os.Stat(filepath.Join(dir, "it.snap")); has("--save") && !has("--version") && err != nil {
		t.Errorf("%s: %v", call, err)
	}
}
