package macho

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// mutants are how many spoiled copies are read of each kind of file.
const mutants = 2000

// TestMutants reads spoiled programs, libraries, object files, and debugging information:
// without a panic, and none for ever. scripts/hostile measures the memory.
func TestMutants(t *testing.T) {
	for name, files := range map[string][]string{
		"Mach-O": {"main.aarch64", "main.x86_64", "lib.aarch64", "lib.x86_64", "mapped", "objc/chained.arm64.dylib", "objc/classic.x86_64.dylib"},
		"dSYM":   {"mapped.o"}, // with the __DWARF segment that dsymutil makes a dSYM of
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(11, uint64(len(files))))
			for i := range mutants {
				good, err := os.ReadFile(filepath.Join("testdata", files[i%len(files)]))
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				readMutant(t, mutant(r, good))
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("mutant %d of %s took %v", i, files[i%len(files)], took)
				}
			}
		})
	}
}

// mutant flips a bit, writes a count or length that is wrong, or cuts the file off, most
// often among what is read first.
func mutant(r *rand.Rand, good []byte) []byte {
	b := bytes.Clone(good)
	near := len(b)
	if r.IntN(2) == 0 {
		near = min(near, 0x1000)
	}
	switch r.IntN(4) {
	case 0:
		return damage.Copy(r, good)
	case 1:
		for range 1 + r.IntN(8) {
			b[r.IntN(near)] ^= 1 << r.IntN(8)
		}
	case 2:
		for range 1 + r.IntN(3) {
			at := r.IntN(near/4-1) * 4
			binary.LittleEndian.PutUint32(b[at:], [...]uint32{0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, r.Uint32()}[r.IntN(7)])
		}
	default:
		return b[:r.IntN(near+1)]
	}
	return b
}

func readMutant(t *testing.T, b []byte) {
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{Arch: task.UnknownArch})
	if err != nil {
		return
	}
	f.Limit(object.NewBudget(32<<20, 64<<20))
	f.SeekDSYM("/no such directory/mutant")
	for _, s := range f.Sections()[:min(len(f.Sections()), 16)] {
		f.Source(s.VMAddr + s.Size/2)
	}
	f.SourceNote()
	exercise(t, f)
}
