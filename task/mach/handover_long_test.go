//go:build long && linux && !machstandin

package mach

import (
	"os"
	"os/exec"
	"testing"
)

// checkedAlso is the experiment by which Go checks what is stored in memory of
// C's, where this Go has it. The standard library is built anew for it.
const checkedAlso = "GOEXPERIMENT=cgocheck2"

// TestHandoverToCWithStoresChecked is TestHandoverToC with that experiment.
func TestHandoverToCWithStoresChecked(t *testing.T) {
	if !hasExperiment(t) {
		t.Fatalf("this Go does not know %s", checkedAlso)
	}
	handOverToC(t, checkedAlso)
}

func hasExperiment(t *testing.T) bool {
	cmd := exec.CommandContext(t.Context(), "go", "env", "GOEXPERIMENT")
	cmd.Env = append(os.Environ(), checkedAlso)
	return cmd.Run() == nil
}
