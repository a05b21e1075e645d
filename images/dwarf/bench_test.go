package dwarf

import (
	"debug/dwarf"
	"debug/elf"
	"os"
	"testing"
)

// benchFile is the program that benchmarks ask: STACKSNAP_ELF, or a small one of Go's.
func benchFile(b *testing.B) string {
	if path := os.Getenv("STACKSNAP_ELF"); path != "" {
		return path
	}
	return goProgram(b)
}

// BenchmarkFirst opens a file and asks for one address.
func BenchmarkFirst(b *testing.B) {
	path := benchFile(b)
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d, f := elfData(b, path, nil)
			at := text(f, 1<<12)
			d.Frames(at[len(at)/2])
		}
	})
	b.Run("debug-dwarf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			firstByStandard(b, path)
		}
	})
}

// firstByStandard finds the line of an address, without the inlined calls there.
func firstByStandard(b *testing.B, path string) {
	f, err := elf.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	at := text(f, 1<<12)
	d, err := f.DWARF()
	if err != nil {
		b.Fatal(err)
	}
	unit, err := d.Reader().SeekPC(at[len(at)/2])
	if err != nil {
		return // no unit has it
	}
	lines, err := d.LineReader(unit)
	if err != nil || lines == nil {
		return
	}
	var row dwarf.LineEntry
	_ = lines.SeekPC(at[len(at)/2], &row)
}

// BenchmarkFurther asks an open file for other addresses.
func BenchmarkFurther(b *testing.B) {
	d, f := elfData(b, benchFile(b), nil)
	at := text(f, 1009)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Frames(at[i%len(at)])
	}
}
