//go:build hostile && linux

package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/damage"
	"stacksnap/task/recording"
)

// recordingMagic begins a recording, below gzip (task/recording/doc.go).
const recordingMagic = "stacksnap recording 1\n"

// block frames records as a block of a recording.
func block(records []byte) []byte {
	b := binary.AppendUvarint(nil, uint64(len(records)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(records, crc32.MakeTable(crc32.Castagnoli)))
	return append(b, records...)
}

// records returns those of a recording, without the blocks that they are in.
func records(t *testing.T, file []byte) (all []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(z)
	if err != nil || !bytes.HasPrefix(rest, []byte(recordingMagic)) {
		t.Fatalf("no recording: %.50q, %v", rest, err)
	}
	for rest = rest[len(recordingMagic):]; len(rest) > 0; {
		length, n := binary.Uvarint(rest)
		rest = rest[n+4:]
		all, rest = append(all, rest[:length]...), rest[length:]
	}
	return all
}

// lastRecord is where the last of some records begins, which ends a recording.
func lastRecord(records []byte) (last int) {
	for at := 0; at < len(records); {
		last = at
		_, n := binary.Uvarint(records[at:])
		length, m := binary.Uvarint(records[at+n:])
		at += n + m + int(length)
	}
	return last
}

// written puts a recording of blocks into a file.
func written(t *testing.T, blocks ...[]byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "it.snap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	for _, b := range append([][]byte{[]byte(recordingMagic)}, blocks...) {
		if _, err := z.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// opens has the program open a file, as each of some forms.
func opens(t *testing.T, path string) {
	t.Helper()
	debug.FreeOSMemory() // a peak has that of this program
	for _, args := range [][]string{{path}, {path, "-f", "json"}, {"diff", path, path}} {
		r := snap(t, limit, args...)
		r.check(t)
		t.Logf("%v, %d MB, exit code %d, %.200s", r.took.Round(time.Millisecond), r.peak>>20, r.code, r.err)
		if r.code != 0 && strings.Count(r.err, "\n") != 1 || strings.Contains(r.err, "goroutine ") {
			t.Fatalf("exit code %d: %.1000s", r.code, r.err)
		}
		if t.Failed() {
			t.Fatalf("%v", args)
		}
	}
}

// recorded returns a recording of a program.
func recorded(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "it.snap")
	if r := snap(t, limit, "-p", sleeper(t), "-n", "20", "--save", path); r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRecordingMutants: spoiled as files, and as records in a container that is in order.
func TestRecordingMutants(t *testing.T) {
	file := recorded(t)
	of, r := records(t, file), rand.New(rand.NewPCG(1, 2))
	for range 60 {
		opens(t, written(t, block(damage.Copy(r, of))))
		path := filepath.Join(t.TempDir(), "it.snap")
		if err := os.WriteFile(path, damage.Copy(r, file), 0o600); err != nil {
			t.Fatal(err)
		}
		opens(t, path)
	}
}

// TestRecordingBombs are small on the disk: one of each kind of record, without content,
// 4 million times; and blocks that are not what they say.
func TestRecordingBombs(t *testing.T) {
	of := records(t, recorded(t))
	last := lastRecord(of)
	for kind := byte(1); kind <= 17; kind++ {
		empty := append(binary.AppendUvarint(nil, uint64(kind)<<3|2), 0)
		bomb := block(bytes.Repeat(empty, 1_000_000))
		blocks := append([][]byte{block(of[:last])}, slices.Repeat([][]byte{bomb}, 4)...)
		opens(t, written(t, append(blocks, block(of[last:]))...))
	}
	zeros := block(make([]byte, 3<<20))
	for _, blocks := range [][][]byte{
		{binary.AppendUvarint(nil, 1<<62)},
		{binary.AppendUvarint(nil, 1<<25), make([]byte, 1<<20)},
		{bytes.Repeat(block(nil), 2<<20)},
		{block(of[:last]), bytes.Repeat(block(nil), 2<<20), block(of[last:])},
		append([][]byte{block(of[:last])}, slices.Repeat([][]byte{zeros}, 80)...),
	} {
		opens(t, written(t, blocks...))
	}
}

// TestRecordingOfACircle: a stack whose frames lead back to themselves.
func TestRecordingOfACircle(t *testing.T) {
	const base = 0x7fff_0000_0000
	for _, step := range []uint64{0, 16, 1 << 12} {
		stack := make([]byte, 64<<10)
		for at := 0; at+16 <= len(stack); at += 16 {
			next := uint64(base) + (uint64(at)+step)%uint64(len(stack)) // the last leads to the first
			binary.LittleEndian.PutUint64(stack[at:], next)
			binary.LittleEndian.PutUint64(stack[at+8:], 0x400_100)
		}
		thread := task.Thread{ID: 1, State: task.Sleeping, Stacks: []task.Stack{{Base: base, Bytes: stack, Top: base + 64<<10}}}
		thread.Registers.Arch = task.AMD64
		thread.Registers.Set(task.AMD64.PC(), 0x400_100)
		thread.Registers.Set(task.AMD64.SP(), base)
		thread.Registers.Set(task.AMD64.FP(), base)
		path := filepath.Join(t.TempDir(), "it.snap")
		w, err := recording.Create(path, recording.Header{Target: task.Info{OS: task.Linux, Arch: task.AMD64, PID: 1, PageSize: 4096}})
		if err != nil {
			t.Fatal(err)
		}
		code := recording.Image{
			Path: "/it", Load: 0x400_000, Main: true, Read: true, Arch: task.AMD64,
			Segments: []recording.Segment{{VMAddr: 0, Size: 4096, InFile: 4096, Prot: task.Read | task.Execute}},
		}
		w.SetMap(&recording.Map{Images: []int{w.AddImage(&code)}})
		for n := range 1000 {
			s := &recording.Sample{Snapshot: &task.Snapshot{Time: time.Unix(0, int64(n)), Threads: []task.Thread{thread}}}
			if err := w.AddSnapshot(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(recording.End{}); err != nil {
			t.Fatal(err)
		}
		opens(t, path)
	}
}
