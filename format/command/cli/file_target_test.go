package cli

import (
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file in a folder.
func write(t *testing.T, dir, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestIsFile: what may be executed is a program, but where all files may be.
func TestIsFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	core := elfCore()
	for name, is := range map[string]bool{
		write(t, dir, "core", "", 0o600):                   true,
		write(t, dir, "it.core", core, 0o777):              true,
		write(t, dir, "it.snap", laterRecording(t), 0o777): true,
		write(t, dir, "it.txt", "Sampling process 9\nAnalysis of sampling it (pid 9) every 1 millisecond\n", 0o777): true,
		write(t, dir, "program", "\x7fELF", 0o700):      false,
		write(t, dir, "with.dot", "#!/bin/sh\n", 0o700): false,
		write(t, dir, "4711", "", 0o600):                true,
		dir:                                             false,
		"4711":                                          false,
		filepath.Join(dir, "none"):                      false,
		"core":                                          true,
		"":                                              false,
	} {
		if got := isFile(name); got != is {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// elfCore is the header of a core for this kind of machine, and no more.
func elfCore() string {
	b := make([]byte, 64)
	copy(b, "\x7fELF\x02\x01\x01")
	for offset, v := range map[int]uint16{16: 4 /* ET_CORE */, 18: 62 /* EM_X86_64 */, 20: 1, 52: 64, 54: 56} {
		binary.LittleEndian.PutUint16(b[offset:], v)
	}
	return string(b)
}

// laterRecording is one of a version that nobody has made yet.
func laterRecording(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write([]byte("stacksnap recording 99\n")); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
