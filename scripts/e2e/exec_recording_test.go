//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"stacksnap/task/needs"
)

// TestRecordingThroughExec keeps what was recorded of a program when the one that
// takes its place is over before it could be captured, and when it is not; and no file
// that was beside it is touched.
func TestRecordingThroughExec(t *testing.T) {
	needs.Tool(t, "sh")
	for _, next := range []string{"true", "sleep 0.2"} {
		dir := t.TempDir()
		file, other := filepath.Join(dir, "it.snap"), filepath.Join(dir, "it.snap.next")
		if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
		for range rounds(5) {
			r := snap(t, "-i", "2ms", "--save", file, "-o", filepath.Join(dir, "it.txt"), "--", "sh", "-c",
				"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exec "+next)
			if r.code != exitOK {
				t.Fatalf("exit code %d: %s", r.code, r.err)
			}
			if r := snap(t, file); r.code != exitOK {
				t.Errorf("%s: the recording: exit code %d: %s", next, r.code, r.err)
			}
			if b, err := os.ReadFile(other); string(b) != "other" {
				t.Fatalf("%s: another file: %v", next, err)
			}
			if all, err := os.ReadDir(dir); err != nil || len(all) != 3 {
				t.Errorf("%s: %v, %v", next, all, err)
			}
		}
	}
}
