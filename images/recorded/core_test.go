package recorded_test

import (
	"path/filepath"
	"testing"

	"stacksnap/task/machocore"
)

// TestReopenedCores wants recordings of Mac processes, which have compact unwind
// information, to give the reports of the cores that they were made from.
func TestReopenedCores(t *testing.T) {
	cores, err := filepath.Glob("../../task/machocore/testdata/*.core")
	if err != nil || len(cores) == 0 {
		t.Fatal("no cores", err)
	}
	for _, core := range cores {
		t.Run(filepath.Base(core), func(t *testing.T) {
			p, err := machocore.Open(core)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			live, file := record(t, p, 2)
			wantReopened(t, live, file)
		})
	}
}
