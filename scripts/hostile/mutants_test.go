//go:build hostile && linux

package hostile

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"testing"
	"time"
)

// TestMutants runs the tests that read 2,000 spoiled files of a kind, each within the
// memory that a run may take.
func TestMutants(t *testing.T) {
	for _, pkg := range []string{"images/macho", "images/sharedcache"} {
		t.Run(path.Base(pkg), func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "mutants")
			if out, err := exec.Command("go", "test", "-c", "-o", program, "stacksnap/"+pkg).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cmd := exec.Command(program, "-test.run", "^TestMutants$")
			cmd.Dir = filepath.Join("..", "..", pkg)
			cmd.Env = append(os.Environ(), "STACKSNAP_LONG=1")
			r := finish(t, 5*time.Minute, cmd)
			r.check(t)
			if r.code != 0 {
				t.Errorf("exit %d:\n%s%s", r.code, r.out, r.err)
			}
			t.Logf("%v, %d MB", r.took, r.peak>>20)
		})
	}
}
