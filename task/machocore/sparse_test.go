package machocore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
	"stacksnap/task/machocore"
	"stacksnap/task/needs"
)

// sparseCore makes a core of 4 GB in 2,000 segments, nearly all of it holes, and
// without a dyld, so that every place is looked at for one.
func sparseCore(t testing.TB) string {
	const size, segments = 4 << 30, 2000
	const each = size / segments &^ (4<<10 - 1)
	state := words(34, 8)
	state[31*8+7], state[31*8+4], state[31*8] = 0, 1, 0 // sp within the first segments
	c := corefile.Core{CPU: corefile.ARM64, Notes: []corefile.Note{corefile.AddressableBits(47)}}
	for range 64 {
		c.Threads = append(c.Threads, corefile.Thread{{Flavor: 6, Words: state}})
	}
	for i := range uint64(segments) {
		c.Segments = append(c.Segments, corefile.Segment{
			Addr: 0x1_0000_0000 + i*each, Size: each, Prot: uint32(1 + 4*(i%4/3) + 2*(i%2)), Hole: 1<<20 + i*each,
		})
	}
	path := filepath.Join(t.TempDir(), "sparse.core")
	if err := os.WriteFile(path, c.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<20+segments*each); err != nil {
		needs.Feature(t, "room for a file with holes", err, syscall.EFBIG, syscall.ENOSPC, syscall.EINVAL)
	}
	return path
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestOpeningAHugeCoreReadsLittle(t *testing.T) {
	path := sparseCore(t)
	before := allocated()
	p, err := machocore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if used := allocated() - before; used > 4<<20 {
		t.Errorf("%d bytes allocated", used)
	}
	if problems := p.Info().Problems; len(problems) > 0 {
		t.Error(problems)
	}
	var b [1]byte
	if _, err := p.Memory().ReadMemory(b[:], 0x1_0000_0000+4000<<20); err != nil {
		t.Error(err)
	}
	var th task.Thread
	if err := p.Capture(63, &th); err != nil {
		t.Error(err)
	}
}

func BenchmarkOpenSparse4GB(b *testing.B) {
	path := sparseCore(b)
	b.ReportAllocs()
	for b.Loop() {
		p, err := machocore.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		_ = p.Close()
	}
}
