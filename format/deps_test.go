package format_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWritersKnowTheModelOnly: what writes a profile brings along nothing that captures
// one.
func TestWritersKnowTheModelOnly(t *testing.T) {
	for _, room := range []string{
		"words", "text", "jsondoc", "pprof", "otlp", "pyroscope", "speedscope", "chrome", "firefox", "folded", "html", "apple",
	} {
		out, err := exec.Command("go", "list", "-deps", "./"+room).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range strings.Fields(string(out)) {
			switch strings.TrimPrefix(path, "stacksnap/") {
			case "task/ptrace", "task/live", "task/mach", "format/profile/capture", "format/profile/hang":
				t.Errorf("%s brings %s", room, path)
			}
		}
	}
}
