package core_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/core"
	"stacksnap/task/regular"
)

func TestOpenByContent(t *testing.T) {
	p, err := core.Open("../machocore/testdata/arm64-O2.core")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if info := p.Info(); info.OS != task.Darwin || info.Arch != task.ARM64 {
		t.Errorf("%+v", info)
	}
}

func TestOpenOfOtherFiles(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{text: core.ErrNotCore, t.TempDir(): regular.ErrDirectory, text + "-": os.ErrNotExist} {
		if _, err := core.Open(path); !errors.Is(err, want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
