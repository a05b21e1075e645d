package elf

import (
	"debug/elf"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// openSelf opens the program of this test, which has symbols.
func openSelf(t *testing.T) *File {
	t.Helper()
	name, err := os.Executable() // a link of /proc is not followed beside a mount that may not answer
	if err != nil {
		t.Fatal(err)
	}
	c, err := openCandidate(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFile(c.file, c.size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestSymbolsBeyondTheBudget are left out whole, for want of room or of time.
func TestSymbolsBeyondTheBudget(t *testing.T) {
	whole := openSelf(t)
	table := whole.elf.SectionByType(elf.SHT_SYMTAB)
	if table == nil {
		needs.Skip(t, "symbols", "the test was built without")
	}
	n := int64(whole.symbols().Len())
	size := int64(table.Size)
	for _, c := range []struct {
		keep, read int64
		has        bool
	}{
		{n * entryBytes, size, true}, {n*entryBytes - 1, size, false}, {n * entryBytes, size - 1, false},
	} {
		f, b := openSelf(t), object.NewBudget(c.keep, c.read)
		f.Limit(b)
		if f.HasSymbols() != c.has || b.Reached() == c.has {
			t.Errorf("%+v: symbols: %v, reached: %v", c, f.HasSymbols(), b.Reached())
		}
		if !c.has && !b.Keep(uint64(c.keep)) {
			t.Error("what was not kept was not given back")
		}
	}
	if got := symbolTable(*whole.staticSymbols()); got.size != uint64(size) {
		t.Errorf("%d bytes", got.size)
	}
}

// TestSectionsBeyondTheBudget are left out.
func TestSectionsBeyondTheBudget(t *testing.T) {
	f, b := openSelf(t), object.NewBudget(10, 0)
	f.Limit(b)
	if s, err := f.Section(object.GoPCLnTab); err == nil || !b.Reached() {
		t.Errorf("%d bytes, %v", len(s.Data), err)
	}
}

// TestNoChecksumOfAHugeFile: one of terabytes costs nothing on the disk.
func TestNoChecksumOfAHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, maxSummed+1); err != nil {
		needs.Feature(t, "room for a file with holes", err, syscall.EFBIG, syscall.ENOSPC, syscall.EINVAL)
	}
	c, err := openCandidate(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.file.Close()
	b := object.NewBudget(0, 1<<62)
	if (&Loader{Budget: b}).isDebugOf(&File{}, c, &File{}, true, 0) || !b.Read(1<<62) {
		t.Error("it was read")
	}
	small := c
	small.size = 100
	if (&Loader{Budget: object.NewBudget(0, 99)}).isDebugOf(&File{}, small, &File{}, true, 0) {
		t.Error("more was read than the budget has")
	}
}
