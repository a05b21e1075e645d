package pick

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file in a folder.
func write(t *testing.T, dir, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMissingTarget(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	program := write(t, dir, "program", "", 0o700)
	script := write(t, dir, "script", "#!/bin/sh\n", 0o700)
	for target, want := range map[string]string{
		dir: "is a folder", program: "does not run: start it with -- " + program, "program": "start it with -- ./program",
		script: "is a script", os.DevNull: "neither", filepath.Join(dir, "x.core"): "no file",
		"x.core": "no file", "*.snap": "no file", "core": "no file", "nobody": "",
	} {
		if got := missingTarget(target); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}
