package kcdata

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// pair is a structure as the kernel has them.
type pair struct {
	ID    uint64
	Small int16
	Name  [5]byte
	More  [2]uint32
	Late  int64
}

// made is a buffer with an item of each sort.
func made() []byte {
	var w Writer
	w.Begin(Stackshot)
	w.Number(0x912, 7)
	w.Struct(0x999, pair{ID: 1, Small: -2, Name: [5]byte{'a', 'b'}, More: [2]uint32{3, 4}, Late: -5})
	w.Named(Int32Named, "pid", []byte{0xfe, 0xff, 0xff, 0xff})
	w.Named(StringNamed, strings.Repeat("n", 40), []byte("text\x00"))
	w.Open(0x903, 42)
	w.Text(0x909, "name")
	w.Open(0x904, 43)
	w.Array(0x915, 3, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 10), 11), 12))
	w.Close(43)
	w.Close(42)
	w.End()
	return w.Bytes()
}

// items are all of the first buffer.
func items(t testing.TB, data []byte) (list []Item) {
	r := NewReader(data)
	if kind, ok := r.Buffer(); !ok || kind != Stackshot {
		t.Fatalf("a buffer of %#x, %v", kind, r.Err())
	}
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		list = append(list, it)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return list
}

func TestReadsWhatIsWritten(t *testing.T) {
	list := items(t, made())
	if n, ok := list[0].Number(); !ok || n != 7 || list[0].Type != 0x912 {
		t.Errorf("number %d", n)
	}
	var p pair
	if n := Decode(list[1].Data(), &p); n != 5 || p != (pair{1, -2, [5]byte{'a', 'b'}, [2]uint32{3, 4}, -5}) {
		t.Errorf("%d fields: %+v", n, p)
	}
	if name, n, err := list[2].NamedNumber(); name != "pid" || int64(n) != -2 || err != nil {
		t.Errorf("%s: %d, %v", name, int64(n), err)
	}
	if name, data, err := list[3].Named(); name != strings.Repeat("n", 31) || Text(data) != "text" || err != nil {
		t.Errorf("%s: %q, %v", name, data, err)
	}
	if sort, id, err := list[4].Container(); sort != 0x903 || id != 42 || err != nil {
		t.Errorf("container %#x of %d, %v", sort, id, err)
	}
	if s := list[5].Text(); s != "name" {
		t.Error(s)
	}
	e, err := list[7].Elements()
	if err != nil || e.Type != 0x915 || e.Count != 3 || e.Size != 4 {
		t.Fatalf("%+v, %v", e, err)
	}
	for i, b := range e.All() {
		if got := binary.LittleEndian.Uint32(b); got != uint32(10+i) {
			t.Errorf("element %d is %d", i, got)
		}
	}
}

func TestStructuresGrow(t *testing.T) {
	whole := Encode(pair{ID: 1, Small: 2, Late: 5})
	for _, c := range []struct{ size, fields int }{{0, 0}, {7, 0}, {8, 1}, {9, 1}, {10, 2}, {len(whole) - 1, 4}, {len(whole), 5}} {
		p := pair{Late: -1}
		if n := Decode(whole[:c.size], &p); n != c.fields || (p.Late == 5) != (c.fields == 5) {
			t.Errorf("%d bytes: %d fields, %+v", c.size, n, p)
		}
	}
	if n := Decode(append(whole, 9, 9, 9), new(pair)); n != 5 {
		t.Errorf("%d fields of a longer one", n)
	}
}

// TestOldPadding has structures from before items told their padding.
func TestOldPadding(t *testing.T) {
	for _, c := range []struct {
		kind        uint32
		size, flags int
		want        int
	}{
		{0x906, 0x70, 0, 0x68}, {0x906, 0x70, hasPadding, 0x70}, {0x906, 0x80, 0, 0x80}, {0x906, 0x70, 8, 0x68},
		{0x908, 32, 0, 24}, {0x908, 32, hasPadding, 32}, {0x905, 0x70, 4, 0x6c}, {0x905, 2, 15, 0},
		{ContainerBegin, 16, 5, 16}, {Array | 3, 16, 7, 16},
	} {
		it := Item{Type: c.kind, Flags: uint64(c.flags), Payload: make([]byte, c.size)}
		if got := len(it.Data()); got != c.want {
			t.Errorf("%#x of %d bytes with flags %#x: %d, want %d", c.kind, c.size, c.flags, got, c.want)
		}
	}
}

func TestArrays(t *testing.T) {
	const any, frame64 = 0x777, 0x90B
	for _, c := range []struct {
		kind, of    uint32
		count, size int
		ok          bool
		each        int
	}{
		{Array | 4, any, 3, 16, true, 4},
		{Array | 4, any, 5, 16, false, 0},
		{Array, any, 16, 16, true, 1},
		{Array, any, 17, 16, false, 0},
		{Array | 15, any, 1, 14, false, 0},
		{Array | 15, any, 1, 15, false, 0},
		{Array, any, 0, 0, true, 0},
		{Array, any, 0, 16, false, 0},
		{OldArray, frame64, 2, 32, true, 16},
		{OldArray, frame64, 3, 32, false, 0},
		{OldArray, 0x30, 2, 48, true, 20}, // padded by 8
		{OldArray, 0x30, 3, 48, false, 0},
		{OldArray, 0x31, 17, 424, false, 0}, // too much behind them
		{OldArray, any, 2, 32, false, 0},    // of unknown size
		{OldArray, frame64, 0, 0, true, 0},
		{0x905, any, 1, 16, false, 0},
		{0x905, any, 0, 0, false, 0},
	} {
		it := Item{Type: c.kind, Flags: uint64(c.of)<<32 | uint64(c.count), Payload: make([]byte, c.size)}
		e, err := it.Elements()
		if (err == nil) != c.ok || c.ok && (e.Size != c.each || e.Count != c.count || len(e.Data) != c.count*c.each) {
			t.Errorf("%+v: %+v, %v", c, e, err)
		}
	}
}

func TestBadItems(t *testing.T) {
	for _, it := range []Item{
		{Type: ContainerBegin, Payload: make([]byte, 3)}, {Type: ContainerEnd, Payload: make([]byte, 16)},
	} {
		if _, _, err := it.Container(); !errors.Is(err, ErrItem) {
			t.Errorf("%+v: %v", it, err)
		}
	}
	open := bytes.Repeat([]byte{'n'}, 48)
	for _, it := range []Item{
		{Type: Uint64Named, Payload: open}, {Type: Uint64Named, Payload: make([]byte, 36)}, {Type: Uint64Named, Payload: make([]byte, 31)},
		{Type: Uint32Named, Payload: make([]byte, 35)}, {Type: BytesNamed, Payload: make([]byte, 48)}, {Type: 7, Payload: make([]byte, 48)}, {Payload: make([]byte, 48)},
	} {
		if _, _, err := it.NamedNumber(); !errors.Is(err, ErrItem) {
			t.Errorf("%#x of %d: %v", it.Type, len(it.Payload), err)
		}
	}
	if n, ok := (&Item{Payload: []byte{1, 2, 3}}).Number(); ok {
		t.Errorf("3 bytes are %d", n)
	}
	if n, ok := (&Item{Payload: []byte{1, 2, 0, 0, 9}}).Number(); !ok || n != 0x201 {
		t.Errorf("5 bytes are %#x", n)
	}
}

func TestSkip(t *testing.T) {
	r := NewReader(made())
	r.Buffer()
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		if it.Type == ContainerBegin {
			break
		}
	}
	r.Skip()
	if it, ok := r.Next(); ok || r.Err() != nil {
		t.Errorf("%+v behind the container, %v", it, r.Err())
	}
}

func TestSeveralBuffers(t *testing.T) {
	var w Writer
	w.Begin(Stackshot)
	w.Number(1, 1)
	w.End()
	data := append(w.Bytes(), make([]byte, 64)...) // the rest of a page
	w = Writer{}
	w.Begin(DeltaStackshot)
	w.End()
	data = append(data, w.Bytes()...)
	r := NewReader(data)
	var kinds []uint32
	for kind, ok := r.Buffer(); ok; kind, ok = r.Buffer() {
		kinds = append(kinds, kind)
	}
	if !slices.Equal(kinds, []uint32{Stackshot, DeltaStackshot}) || r.Err() != nil {
		t.Errorf("%#x, %v", kinds, r.Err())
	}
	r = NewReader(append(data, 1, 2, 3, 4))
	for _, ok := r.Buffer(); ok; _, ok = r.Buffer() {
	}
	if !errors.Is(r.Err(), ErrNotKcdata) {
		t.Errorf("error %v", r.Err())
	}
	if it, ok := r.Next(); ok {
		t.Errorf("%+v behind the last buffer", it)
	}
}

func TestNotKcdata(t *testing.T) {
	for _, s := range []string{"", "a", "ab", "abcd", "#!/bin/sh\necho something longer than this", "\x1f\x8b", "\x1f\x8bxxxxxxxxxxxxxxxxxxx", strings.Repeat("\x00", 100)} {
		if _, err := ReadAll(strings.NewReader(s)); !errors.Is(err, ErrNotKcdata) {
			t.Errorf("%q: %v", s, err)
		}
		r := NewReader([]byte(s))
		if kind, ok := r.Buffer(); ok {
			t.Errorf("%q is of kind %#x", s, kind)
		}
	}
}

func zipped(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// compressedByKernel is what kcdata_init_compress makes of a buffer.
func compressedByKernel(t testing.TB, data []byte, method byte) []byte {
	var w Writer
	w.Begin(Compressed)
	w.Named(Uint64Named, "kcd_c_type", []byte{method, 0, 0, 0, 0, 0, 0, 0})
	w.Begin(binary.LittleEndian.Uint32(data))
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write(data[headerSize : len(data)-headerSize])
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return append(w.Bytes(), b.Bytes()...)
}

func TestUnpack(t *testing.T) {
	plain := made()
	for name, packed := range map[string][]byte{
		"plain": plain, "gzip": zipped(t, plain), "kernel": compressedByKernel(t, plain, 1),
		"gzip of kernel's": zipped(t, compressedByKernel(t, plain, 1)), "a chunk": append(make([]byte, 16), plain...),
	} {
		got, err := ReadAll(bytes.NewReader(packed))
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %d bytes, want %d; %v", name, len(got), len(plain), err)
		}
	}
	if _, err := ReadAll(bytes.NewReader(compressedByKernel(t, plain, 2))); err == nil {
		t.Error("a method that is not known was none to speak of")
	}
	packed := zipped(t, plain)
	got, err := ReadAll(bytes.NewReader(packed[:len(packed)-12]))
	if err == nil || !bytes.HasPrefix(plain, got) || len(got) == 0 {
		t.Errorf("%d bytes of one that is cut, %v", len(got), err)
	}
	packed = compressedByKernel(t, plain, 1)
	got, err = ReadAll(bytes.NewReader(packed[:len(packed)-12]))
	if err == nil || len(got) <= headerSize {
		t.Errorf("%d bytes of one that is cut, %v", len(got), err)
	}
}

// TestUnpackSeveral has buffers of which some are packed. Behind those the kernel leaves
// 16 bytes.
func TestUnpackSeveral(t *testing.T) {
	plain := made()
	packed := compressedByKernel(t, plain, 1)
	end := bytes.Repeat([]byte{9}, headerSize)
	var w Writer
	w.End()
	for name, c := range map[string]struct {
		parts [][]byte
		want  int // buffers
	}{
		"two":              {[][]byte{packed, packed}, 2},
		"the second":       {[][]byte{plain, packed}, 2},
		"the first":        {[][]byte{packed, plain}, 2},
		"all but one":      {[][]byte{packed, plain, packed, packed}, 4},
		"with an end":      {[][]byte{packed, w.Bytes(), packed, w.Bytes()}, 2},
		"with what is not": {[][]byte{packed, end, packed, end}, 2},
		"in pages":         {[][]byte{packed, make([]byte, 99), packed, w.Bytes(), make([]byte, 999), plain, make([]byte, 64), packed}, 4},
	} {
		got, err := ReadAll(bytes.NewReader(bytes.Join(c.parts, nil)))
		if got = bytes.ReplaceAll(got, make([]byte, 64), nil); err != nil || !bytes.Equal(got, bytes.Repeat(plain, c.want)) {
			t.Errorf("%s: %d bytes, want %d of %d; %v", name, len(got), c.want, len(plain), err)
		}
	}
	for name, second := range map[string][]byte{"cut": packed[:len(packed)-12], "unknown": compressedByKernel(t, plain, 2), "cut early": packed[:40]} {
		got, err := ReadAll(bytes.NewReader(append(bytes.Clone(packed), second...)))
		if err == nil || !bytes.HasPrefix(got, plain) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	got, err := ReadAll(bytes.NewReader(bytes.Join([][]byte{packed, end, end}, nil)))
	if err != nil {
		t.Error(err)
	}
	if _, err := walk(got); !errors.Is(err, ErrNotKcdata) {
		t.Errorf("what is no buffer was left out: %v", err)
	}
}

func TestUnpackHasABoundForAll(t *testing.T) {
	plain := made()
	packed := compressedByKernel(t, plain, 1)
	items := len(plain) - 2*headerSize
	for limit, ok := range map[int]bool{len(plain) + items: true, len(plain) + items - 1: false, items: false, 0: false} {
		got, err := inflateAll(append(bytes.Clone(packed), packed...), limit)
		if errors.Is(err, ErrTooLarge) == ok || len(got) > limit+3*headerSize {
			t.Errorf("%d bytes at most: %d, %v", limit, len(got), err)
		}
	}
}

func TestUnpackHasABound(t *testing.T) {
	for _, size := range []int{99, 100, 101} {
		data, err := readAll(io.LimitReader(zeros{}, int64(size)), 100)
		if len(data) != min(size, 100) || errors.Is(err, ErrTooLarge) != (size > 100) {
			t.Errorf("%d: %d bytes, %v", size, len(data), err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestWrittenAgain writes what was read, and wants the same bytes.
func TestWrittenAgain(t *testing.T) {
	var w Writer
	w.Begin(Stackshot)
	for _, it := range items(t, made()) {
		w.Raw(it)
	}
	w.End()
	if !bytes.Equal(w.Bytes(), made()) {
		t.Error("not the same")
	}
}

// walk reads all there is by every means.
func walk(data []byte) (n int, err error) {
	r := NewReader(data)
	for _, ok := r.Buffer(); ok; _, ok = r.Buffer() {
		for it, ok := r.Next(); ok; it, ok = r.Next() {
			n++
			it.Text()
			Decode(it.Data(), new(pair))
			_, _, _ = it.NamedNumber()
			_, _, _ = it.Container()
			if e, err := it.Elements(); err == nil {
				for _, b := range e.All() {
					Decode(b, new(pair))
				}
			}
		}
	}
	return n, r.Err()
}

func TestCutAndFlipped(t *testing.T) {
	whole := made()
	all, _ := walk(whole)
	for i := range whole {
		n, err := walk(whole[:i])
		if cut := (*CutError)(nil); i >= headerSize && !errors.As(err, &cut) || n > all {
			t.Fatalf("cut at %d: %d items, %v", i, n, err)
		}
		flipped := bytes.Clone(whole)
		for _, mask := range []byte{1, 0x80, 0xff} {
			flipped[i] = whole[i] ^ mask
			_, _ = walk(flipped)
		}
	}
}

// TestClaims has an item that says it has a gigabyte.
func TestClaims(t *testing.T) {
	data := made()
	binary.LittleEndian.PutUint32(data[headerSize+4:], 1<<30)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := walk(data)
	runtime.ReadMemStats(&after)
	if cut := (*CutError)(nil); n != 0 || !errors.As(err, &cut) || cut.At != headerSize {
		t.Errorf("%d items, %v", n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes for it", used)
	}
	it := Item{Type: Array, Flags: 1<<32 - 1, Payload: make([]byte, 64)}
	if _, err := it.Elements(); err == nil {
		t.Error("four billion elements in 64 bytes")
	}
}

func TestIteratesWithoutAllocating(t *testing.T) {
	data := made()
	r := NewReader(data)
	if n := testing.AllocsPerRun(100, func() {
		*r = Reader{data: data}
		r.Buffer()
		for it, ok := r.Next(); ok; it, ok = r.Next() {
			_ = it.Data()
			_, _ = it.Elements()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(made())
	f.Add(zipped(f, made()))
	f.Add(compressedByKernel(f, made(), 1))
	f.Add(append(made(), compressedByKernel(f, made(), 1)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if unpacked, err := ReadAll(bytes.NewReader(data)); err == nil {
			data = unpacked
		}
		n, _ := walk(data)
		if n > len(data)/headerSize {
			t.Errorf("%d items in %d bytes", n, len(data))
		}
	})
}
