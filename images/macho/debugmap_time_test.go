package macho

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDebugMapWithoutTimes reads the map of a linker that was not to tell when the object
// files were written: they are believed if they are not newer than the program.
func TestDebugMapWithoutTimes(t *testing.T) {
	program := linked(t, func(n *nlist, name string) string {
		if n.typ == stabObject {
			n.value = 0
		}
		return name
	})
	expect(t, openMapped(t, program))
	if err := os.Chtimes(filepath.Join(filepath.Dir(program), "objects.a"), time.Time{}, linkTime.Add(2*time.Second)); err != nil {
		t.Fatal(err)
	}
	f := openMapped(t, program)
	expect(t, f, "a-member-with-a-long-name.o", "b.o")
	if !strings.Contains(f.SourceNote(), "it has changed since") {
		t.Error(f.SourceNote())
	}
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	unknown.SeekDSYM(program)
	if unknown.Source(0x100000490) != nil {
		t.Error("objects are believed to be older than a file of no known age")
	}
}
