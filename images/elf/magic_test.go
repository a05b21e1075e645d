package elf

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIsFile(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]bool{"\x7fELF": true, "\x7fELF\x02\x01": true, "\x7fEL": false, "": false, "MZ\x90\x00": false} {
		name := filepath.Join(dir, "file")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := IsFile(name); got != want {
			t.Errorf("%q: %v", content, got)
		}
	}
	if IsFile(filepath.Join(dir, "missing")) || IsFile(dir) {
		t.Error("what is no file")
	}
}
