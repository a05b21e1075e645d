package machocore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/task/machocore"
	"stacksnap/task/regular"
)

func TestNotACore(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":           {},
		"text":            []byte("#!/bin/sh\nexit 0\n# a longer line to fill a header with\n"),
		"ELF":             append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 64)...),
		"executable":      append([]byte{0xcf, 0xfa, 0xed, 0xfe, 12, 0, 0, 1, 0, 0, 0, 0, 2}, make([]byte, 64)...),
		"big-endian":      append([]byte{0xfe, 0xed, 0xfa, 0xce, 0, 0, 0, 18, 0, 0, 0, 0, 0, 0, 0, 4}, make([]byte, 64)...),
		"Java":            append([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x34}, make([]byte, 64)...),
		"fat, no parts":   {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0},
		"fat, beyond end": {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1, 1, 0, 0, 12, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 14},
	} {
		r := bytes.NewReader(b)
		p, err := machocore.New(r, r.Size())
		if !errors.Is(err, machocore.ErrNotCore) || p != nil {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := machocore.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := machocore.Open(t.TempDir()); !errors.Is(err, regular.ErrDirectory) {
		t.Errorf("a folder: %v", err)
	}
}

// A core that is cut anywhere still gives what stands before the cut.
func TestCutCores(t *testing.T) {
	cores, err := filepath.Glob("testdata/*.core")
	if err != nil || len(cores) == 0 {
		t.Fatalf("no cores in testdata: %v", err)
	}
	for _, path := range cores {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		threads := -1
		for sixteenth := range 17 {
			n := len(whole) * sixteenth / 16
			p, err := machocore.New(bytes.NewReader(whole[:n]), int64(n))
			if err != nil {
				if sixteenth > 1 {
					t.Errorf("%s, %d of 16: %v", path, sixteenth, err)
				}
				continue
			}
			got := survey(t, p)
			if got < threads {
				t.Errorf("%s, %d of 16: %d threads, %d of a shorter one", path, sixteenth, got, threads)
			}
			threads = got
			if problems := p.Info().Problems; (len(problems) == 0) != (sixteenth == 16) {
				t.Errorf("%s, %d of 16: problems %v", path, sixteenth, problems)
			}
		}
		if threads < 8 {
			t.Errorf("%s: %d threads", path, threads)
		}
	}
}

// survey uses everything of a core, and returns the number of threads.
func survey(t testing.TB, p *machocore.Process) int {
	var s task.Snapshot
	if err := task.Take(p, &s); err != nil {
		t.Error(err)
	}
	m, _ := images.Load(p, nil, nil)
	for i := range s.Threads {
		m.Locate(s.Threads[i].Registers.PC(), false)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	for _, err := range p.Regions() {
		if err != nil {
			t.Error(err)
		}
	}
	return len(s.Threads)
}
