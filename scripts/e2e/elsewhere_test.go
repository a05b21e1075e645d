//go:build long && linux && amd64

package e2e

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"stacksnap/task/needs"
)

// TestReopenedElsewhere: a recording and a core give the same report on machines
// of another architecture, one of 32 bits among them.
func TestReopenedElsewhere(t *testing.T) {
	dir := t.TempDir()
	one, many := filepath.Join(dir, "one"), filepath.Join(dir, "many")
	target := start(t, compile(t, "deep", "-O2"), "4", "read")
	want := map[string]string{
		one:  snap(t, "-p", pid(target), "--save", one).out,
		many: snap(t, "-p", pid(target), "--save", many, "-n", "100").out,
	}
	cores, _ := filepath.Glob("../../task/machocore/testdata/*.core")
	for _, core := range cores {
		want[core] = snap(t, core).out
	}
	for arch, emulator := range map[string][]string{"386": nil, "arm64": {"qemu-aarch64-static"}} {
		t.Run(arch, func(t *testing.T) {
			need(t, emulator...)
			program := filepath.Join(t.TempDir(), "stacksnap")
			build := exec.Command("go", "build", "-o", program, "stacksnap")
			build.Env = append(build.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
			if b, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
			run := append(emulator, program)
			if err := exec.Command(run[0], append(run[1:], "--version")...).Run(); err != nil {
				needs.Feature(t, "programs for "+arch, err, syscall.ENOEXEC)
			}
			for file, report := range want {
				if got := peer(t, append(run, file)...); got != report || report == "" {
					t.Errorf("%s gives\n%s\nwant\n%s", file, got, report)
				}
			}
		})
	}
}
