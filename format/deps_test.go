package format_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWritersKnowTheModelOnly: what writes a profile brings along nothing that captures
// one.
func TestWritersKnowTheModelOnly(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	rooms := 0
	for _, room := range strings.Fields(string(out)) { // those of the table
		if !strings.HasPrefix(room, "stacksnap/") {
			continue
		}
		rooms++
		out, err := exec.Command("go", "list", "-deps", room).Output()
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
	if rooms < 10 {
		t.Errorf("%d rooms", rooms)
	}
}
