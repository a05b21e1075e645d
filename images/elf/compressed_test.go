package elf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"os"
	"testing"

	"stacksnap/task/needs"
)

// TestClaimsToBeCompressed reads a Go program of which each section in turn claims to be
// compressed, which only sections that are not loaded can be.
func TestClaimsToBeCompressed(t *testing.T) {
	good, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		needs.Feature(t, "/proc/self/exe", err, fs.ErrNotExist)
	}
	whole, err := elf.NewFile(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	const flags, entry = 8, 64 // sh_flags in an Elf64_Shdr, and its size
	table := binary.LittleEndian.Uint64(good[40:])
	for i, s := range whole.Sections {
		b := bytes.Clone(good)
		at := table + uint64(i)*entry + flags
		binary.LittleEndian.PutUint64(b[at:], uint64(s.Flags|elf.SHF_COMPRESSED))
		f, err := NewFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		text := whole.Section(".text")
		f.Symbol(text.Addr + text.Size/2)
		f.Source(text.Addr + text.Size/2)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
