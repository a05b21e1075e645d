package macho

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestStores keeps only some files open, opens the others again, and reads no other one
// that has come into the place of the first.
func TestStores(t *testing.T) {
	dir := t.TempDir()
	s := stores{cost: new(cost)}
	var all []*store
	for i := range 3 * maxOpen {
		path := filepath.Join(dir, fmt.Sprint(i))
		write(t, path, []byte{byte(i), 1, 2, 3, 4, 5, 6, 7, 8}, linkTime)
		one, err := s.at(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if all[0].file != nil {
		t.Error("the first file is open still")
	}
	one, first := all[len(all)-1], all[len(all)-1].file
	for round := range 2 {
		for i, one := range all {
			var b [1]byte
			if _, err := one.ReadAt(b[:], 0); err != nil || b[0] != byte(i) {
				t.Errorf("round %d: file %d: %v, %v", round, i, b, err)
			}
			if len(s.open) > maxOpen || s.open[len(s.open)-1] != one {
				t.Errorf("%d files are open", len(s.open))
			}
		}
	}
	if _, err := first.Stat(); !errors.Is(err, os.ErrClosed) || one.file == first {
		t.Errorf("a file was not closed: %v", err)
	}
	again, err := s.at(all[0].path)
	if err != nil || again != all[0] {
		t.Error("a file is opened anew", err)
	}
	other := filepath.Join(dir, "other")
	write(t, other, []byte{99, 1, 2, 3, 4, 5, 6, 7, 8}, linkTime)
	if err := os.Rename(other, all[0].path); err != nil {
		t.Fatal(err)
	}
	write(t, all[1].path, []byte{99, 1, 2, 3, 4, 5, 6, 7, 8}, linkTime.Add(time.Hour))
	for i := range 2 {
		if n, err := all[i].ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, errOtherObject) {
			t.Errorf("file %d was exchanged: %d bytes, %v", i, n, err)
		}
	}
	s.close()
	for _, one := range all {
		if one.file != nil {
			t.Error("a file is still open")
		}
	}
}
