package elf

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"stacksnap/task/damage"
)

// Files that were good before are read without a panic, in every test run.
func TestDamagedFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	good := readFixture(t, smallestFixture(t))
	for range 8000 {
		b := damage.Copy(r, good)
		if f, err := NewFile(bytes.NewReader(b), int64(len(b))); err == nil {
			exercise(f)
			_ = f.Close()
		}
	}
}

// smallestFixture is the library in testdata that costs least.
func smallestFixture(t testing.TB) string {
	names, err := filepath.Glob("testdata/*.so")
	if err != nil || len(names) == 0 {
		t.Fatal("no libraries in testdata: ", err)
	}
	best := filepath.Base(names[0])
	for _, name := range names {
		if b := filepath.Base(name); len(readFixture(t, b)) < len(readFixture(t, best)) {
			best = b
		}
	}
	return best
}
