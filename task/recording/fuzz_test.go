package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"testing"
)

// stream frames a payload as the only block of a recording, not compressed.
func stream(payload []byte) []byte {
	b := fmt.Appendf(nil, "%s%d\n", magic, version)
	b = binary.AppendUvarint(b, uint64(len(payload)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(payload, castagnoli))
	return append(b, payload...)
}

func openStream(r io.Reader) (*blockReader, error) { return newStreamReader(r) }

// payload returns the blocks of a recording joined to one.
func payload(t testing.TB, file []byte) []byte {
	t.Helper()
	blocks, err := newBlockReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for {
		b, err := blocks.next()
		if err != nil {
			return all
		}
		all = append(all, b...)
	}
}

// readAll reads a recording to its end, by way of a process too.
func readAll(t testing.TB, r *Reader) {
	p := NewProcess(r)
	for n := 0; ; n++ {
		s, err := p.Next()
		if err != nil {
			if n != r.Snapshots() {
				t.Errorf("%d snapshots of %d", n, r.Snapshots())
			}
			return
		}
		for _, f := range r.Files() {
			_, _ = f.Section("eh_frame")
		}
		for range p.Regions() {
		}
		for i := range s.Threads {
			_, _ = p.Memory().ReadMemory(make([]byte, 20), s.Threads[i].Registers.PC())
		}
	}
}

// FuzzRecords reads arbitrary records, in a container that is in order.
func FuzzRecords(f *testing.F) {
	for n := range 3 {
		file, _ := write(f, samples(uint64(n), 4*n))
		f.Add(payload(f, file))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r, err := newReader(bytes.NewReader(stream(payload)), openStream)
		if err == nil {
			readAll(t, r)
		}
	})
}

// FuzzFile reads arbitrary files.
func FuzzFile(f *testing.F) {
	file, ends := write(f, samples(5, 3))
	f.Add(file)
	f.Add(file[:ends[1]])
	f.Add([]byte("\x1f\x8b"))
	var newer bytes.Buffer
	zip := gzip.NewWriter(&newer)
	_, _ = zip.Write([]byte(magic + "2\n"))
	_ = zip.Close()
	f.Add(newer.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		if r, err := NewReader(bytes.NewReader(file)); err == nil {
			readAll(t, r)
		}
	})
}
