package binaries

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestNothingStaysOpen: of thousands of files none is kept open, of every kind.
func TestNothingStaysOpen(t *testing.T) {
	dir := t.TempDir()
	for i := range 3000 {
		b := elfWith([]byte(fmt.Sprint("build", i)), 1)
		if i%3 == 0 {
			b = thin(byte(i), dsym, 1).Encode()
		} else if i%3 == 1 {
			b = b[:0x100] // damaged
		}
		write(t, filepath.Join(dir, fmt.Sprint(i%10, "/", i)), b)
	}
	before := openFiles(t)
	x, err := NewIndex(Places{Symbols: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	if !x.HasSymbols([]byte("build2999")) || len(x.files) < 1000 {
		t.Errorf("%d IDs", len(x.files))
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open, and were %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
