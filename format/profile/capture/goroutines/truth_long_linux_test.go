//go:build long && linux && (amd64 || arm64)

package goroutines_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// toolchains returns the go commands of other versions in the module cache.
func toolchains(t *testing.T) map[string]string {
	all := map[string]string{}
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "golang.org", "toolchain@*."+runtime.GOOS+"-"+runtime.GOARCH, "bin", "go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		_, name, _ := strings.Cut(filepath.Base(filepath.Dir(filepath.Dir(path))), "-")
		all[strings.TrimSuffix(name, "."+runtime.GOOS+"-"+runtime.GOARCH)] = path
	}
	return all
}

// TestTruthOfVersions is [TestTruth] for the other versions of Go that are here.
func TestTruthOfVersions(t *testing.T) {
	all := toolchains(t)
	if len(all) == 0 {
		needs.Skip(t, "toolchains of Go", "GOTOOLCHAIN=go1.18.10 go version downloads one")
	}
	for name, command := range all {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOMODCACHE", t.TempDir()) // Go 1.19 takes no packages of its own from below the module cache
			list := exec.Command(command, "list", ".")
			list.Dir = "testdata/blocked"
			list.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOROOT=")
			if out, err := list.CombinedOutput(); err != nil {
				needs.Skip(t, name, string(out))
			}
			compare(t, command, "0", 8)
			compare(t, command, "1", 8)
			compare(t, command, "0", 8, "-ldflags=-s -w")
			hasLabels := !slices.Contains([]string{"18", "19", "20", "21", "22", "23"}, strings.Split(name, ".")[1])
			compareThreads(t, buildIn(t, "onthreads", command, "0"), hasLabels)
		})
	}
}
