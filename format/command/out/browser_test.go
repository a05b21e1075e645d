package out

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// openers has a shell script in the place of what opens files.
func openers(t *testing.T, script string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, opener()), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

// TestBrowse opens a page by its whole path, and tells a refusal.
func TestBrowse(t *testing.T) {
	dir := openers(t, `printf %s "$1" > "$(dirname "$0")/opened"`)
	t.Chdir(dir)
	if err := browse("-it.html", time.Minute); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("opened")
	if want := filepath.Join(dir, "-it.html"); err != nil || string(b) != want {
		t.Errorf("%q, %v; want %q", b, err, want)
	}
	openers(t, "exit 3")
	if err := browse("it.html", time.Minute); err == nil || !strings.Contains(err.Error(), opener()+": exit status 3") {
		t.Errorf("refused: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := browse("it.html", time.Minute); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("there is none: %v", err)
	}
}

// TestBrowseGoesOn: nobody waits for a browser to end.
func TestBrowseGoesOn(t *testing.T) {
	openers(t, `while [ -e "$0" ]; do sleep 0.1; done`) // until the folder is removed
	if err := browse("it.html", 0); err != nil {
		t.Error(err)
	}
}
