package compact

import (
	"debug/macho"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// machos returns the Mach-O files of the folder that STACKSNAP_MACHO_DIR names
// (any thin files; those of npm packages such as @swc/core-darwin-arm64 were
// used).
func machos(t testing.TB) []string {
	dir := needs.Variable(t, "STACKSNAP_MACHO_DIR", "a folder of Mach-O files")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	return files
}

func unwindInfo(t testing.TB, path string) []byte {
	f, err := macho.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section("__unwind_info")
	if s == nil {
		return nil
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var entryLine = regexp.MustCompile(`\[\d+\]: function offset=0x([0-9a-f]+), encoding(?:\[\d+\])?=0x([0-9a-f]+)`)

// objdump returns the entries as LLVM reads them; Entry.End is not told.
func objdump(t *testing.T, path string) []Entry {
	tool := needs.LLVM(t, "llvm-objdump", 1)
	out, err := exec.Command(tool, "--macho", "--unwind-info", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	for line := range strings.Lines(string(out)) {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			start, _ := strconv.ParseUint(m[1], 16, 32)
			encoding, _ := strconv.ParseUint(m[2], 16, 32)
			entries = append(entries, Entry{Start: uint32(start), Encoding: Encoding(encoding)})
		}
	}
	return entries
}

func TestAgreesWithObjdump(t *testing.T) {
	for _, path := range machos(t) {
		data := unwindInfo(t, path)
		if data == nil {
			t.Logf("%s: no __unwind_info", filepath.Base(path))
			continue
		}
		table, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		want := objdump(t, path)
		i := 0
		for e, err := range table.All() {
			if err != nil || i >= len(want) || e.Start != want[i].Start || e.Encoding != want[i].Encoding {
				t.Fatalf("%s: entry %d: %x, %v", path, i, e, err)
			}
			lookup(t, &table, e)
			i++
		}
		if i != len(want) {
			t.Errorf("%s: %d entries, want %d", path, i, len(want))
		}
		t.Logf("%s: %d entries", filepath.Base(path), i)
	}
}

// lookup wants both ends of an entry to lead to it. Entries of no length lead
// nowhere.
func lookup(t *testing.T, table *Table, e Entry) {
	if e.Start == e.End {
		return
	}
	for _, off := range []uint32{e.Start, e.End - 1} {
		if got, err := table.Lookup(off); got != e || err != nil {
			t.Fatalf("lookup of %#x: %x, %v, want %x", off, got, err, e)
		}
	}
}

func BenchmarkParseAndLookup(b *testing.B) {
	for _, path := range machos(b) {
		data := unwindInfo(b, path)
		if data == nil {
			continue
		}
		b.Run(filepath.Base(path), func(b *testing.B) {
			table, _ := Parse(data)
			var starts []uint32
			for e := range table.All() {
				starts = append(starts, e.Start)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				table, _ := Parse(data)
				i = (i + 7919) % len(starts)
				if _, err := table.Lookup(starts[i]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
