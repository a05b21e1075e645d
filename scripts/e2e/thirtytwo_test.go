//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"stacksnap/task/needs"
)

// TestSignalIn32Bits looks at a 32-bit program in a handler, whose way back has no
// unwind information.
func TestSignalIn32Bits(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		needs.Skip(t, "amd64", "this is "+runtime.GOARCH)
	}
	needs.Tools(t, "as", "ld")
	target := filepath.Join(t.TempDir(), "signal386")
	for _, cmd := range [][]string{
		{"as", "--32", "-o", target + ".o", "testdata/signal386.s"},
		{"ld", "-m", "elf_i386", "-o", target, target + ".o"},
	} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", cmd[0], err, out)
		}
	}
	for _, c := range []struct {
		args []string
		via  string
	}{
		{nil, "returns"}, {[]string{"three arguments"}, "rt_returns"},
		{[]string{"of", "the kernel"}, "__kernel_sigreturn"}, {[]string{"of", "the", "kernel"}, "__kernel_rt_sigreturn"},
	} {
		cmd := start(t, append([]string{target}, c.args...)...)
		ours, report := snapWhenSettled(t, pid(cmd), "handler")
		allReachBottom(t, report)
		for _, frames := range ours {
			var names []string
			for _, f := range frames {
				names = append(names, f.name)
			}
			if want := []string{"handler", c.via, "work", "_start"}; !slices.Equal(names, want) {
				t.Errorf("%v, want %v:\n%s", names, want, report)
			}
		}
	}
}
