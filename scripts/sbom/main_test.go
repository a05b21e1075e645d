package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestWrite lists what "go version -m" does of the program of this test.
func TestWrite(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := exec.Command("go", "version", "-m", self).Output()
	if err != nil {
		t.Fatal(err)
	}
	var out, again bytes.Buffer
	if err := write(&out, self); err != nil {
		t.Fatal(err)
	}
	if err := write(&again, self); err != nil || again.String() != out.String() {
		t.Errorf("%v, and another document", err)
	}
	var d document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Components) < 1 || d.Components[0].Name != "std" || !strings.Contains(string(listed), ": go"+d.Components[0].Version) {
		t.Errorf("%+v", d.Components)
	}
	for line := range strings.Lines(string(listed)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case f[0] == "dep" && !slices.ContainsFunc(d.Components, func(c component) bool { return c.Name == f[1] && c.Version == f[2] }):
			t.Errorf("%v is missing", f)
		case f[0] == "build" && !slices.Contains(d.Metadata.Component.Properties, property{"go:build:" + strings.SplitN(f[1], "=", 2)[0], strings.Trim(strings.SplitN(f[1], "=", 2)[1], `"`)}):
			t.Errorf("%v is missing", f)
		}
	}
}

func TestComponents(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v1.0.0+incompatible", Sum: "h1:x"},
		{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v2.0.0"}},
	}}
	var got []string
	for _, c := range components(info) {
		got = append(got, c.PackageURL)
	}
	want := []string{"pkg:golang/std@1.26.0", "pkg:golang/example.com/a@v1.0.0%2Bincompatible", "pkg:golang/example.com/c@v2.0.0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + ".absent"} {
		if err := write(&bytes.Buffer{}, path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
