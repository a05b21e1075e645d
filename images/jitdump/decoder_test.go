package jitdump

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"stacksnap/images/generated"
)

// file is one whose bytes the test sets.
type file struct {
	bytes.Reader
	data  []byte
	at    int64 // changes
	reads int
}

func (f *file) set(data []byte) {
	f.data = data
	f.at++
	f.Reset(data)
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.Reader.ReadAt(p, off)
	f.reads += n
	return n, err
}

func (f *file) Stat() (fs.FileInfo, error) { return f, nil }
func (f *file) Close() error               { return nil }
func (f *file) Name() string               { return "" }
func (f *file) Size() int64                { return int64(len(f.data)) }
func (f *file) Mode() fs.FileMode          { return 0 }
func (f *file) ModTime() time.Time         { return time.Unix(f.at, 0) }
func (f *file) IsDir() bool                { return false }
func (f *file) Sys() any                   { return nil }

// writer makes a dump.
type writer struct {
	order binary.AppendByteOrder
	b     []byte
}

// begin writes the header; extra bytes follow what is known of it.
func begin(order binary.AppendByteOrder, reserved uint32, extra int) *writer {
	w := &writer{order: order}
	w.u32(magic, 1, uint32(headerSize+extra), 62, reserved, 4711).u64(12345, 0)
	w.b = append(w.b, make([]byte, extra)...)
	return w
}

func (w *writer) u32(all ...uint32) *writer {
	for _, v := range all {
		w.b = w.order.AppendUint32(w.b, v)
	}
	return w
}

func (w *writer) u64(all ...uint64) *writer {
	for _, v := range all {
		w.b = w.order.AppendUint64(w.b, v)
	}
	return w
}

// record writes one, whose body is written by a function.
func (w *writer) record(kind uint32, body func()) *writer {
	at := len(w.b)
	w.u32(kind, 0).u64(99)
	body()
	size := w.order.AppendUint32(nil, uint32(len(w.b)-at))
	copy(w.b[at+4:], size)
	return w
}

// codeAt is the byte of code at an address.
func codeAt(a uint64) byte { return byte(a ^ a>>8) }

func (w *writer) load(start, size, index uint64, name string) *writer {
	return w.record(codeLoad, func() {
		w.u32(4711, 4712).u64(start, start, size, index)
		w.b = append(append(w.b, name...), 0)
		for at := range min(size, 1<<20) {
			w.b = append(w.b, codeAt(start+at))
		}
	})
}

func (w *writer) move(from, to, size, index uint64) *writer {
	return w.record(codeMove, func() { w.u32(4711, 4712).u64(to, from, to, size, index) })
}

// line is one of a debug record, at an offset in the code.
type line struct {
	offset uint64
	line   uint32
	file   string
}

func (w *writer) debug(start uint64, lines ...line) *writer {
	return w.record(codeDebugInfo, func() {
		w.u64(start, uint64(len(lines)))
		for _, l := range lines {
			w.u64(start+l.offset).u32(l.line, 7)
			w.b = append(append(w.b, l.file...), 0)
		}
		w.b = append(w.b, make([]byte, (8-len(w.b)%8)%8)...) // as some writers do
	})
}

func (w *writer) other(kind uint32, n int) *writer {
	return w.record(kind, func() { w.b = append(w.b, bytes.Repeat([]byte{0xff}, n)...) })
}

func reading(data []byte) (*file, *generated.Reader) {
	f := new(file)
	f.set(data)
	return f, NewReader(f)
}

func update(t *testing.T, r *generated.Reader) {
	t.Helper()
	if err := r.Update(); err != nil {
		t.Fatal(err)
	}
}

// at is what is known of an address: "name file:line".
func at(n *generated.Names, a uint64) string {
	s, _ := n.Symbol(a)
	text := s.Name
	for _, l := range n.Source(a) {
		text += fmt.Sprintf(" %s:%d", l.File, l.Line)
	}
	return text
}

func want(t *testing.T, r *generated.Reader, all map[uint64]string) {
	t.Helper()
	for a, want := range all {
		if got := at(r.Names(), a); got != want {
			t.Errorf("%#x is %q, want %q", a, got, want)
		}
	}
}

var orders = []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}

// whole is a dump with a record of each type.
func whole(order binary.AppendByteOrder) []byte {
	return begin(order, 0, 0).
		other(4, 20).
		debug(0x1000, line{0, 3, "/a.js"}, line{0x10, 4, sameFile}, line{0x20, 9, "/b.js"}, line{0x30, 0, "/b.js"}).
		load(0x1000, 0x100, 1, "first").
		load(0x2000, 0x100, 2, " second f ").
		debug(0x3000, line{0, 5, "/a.js"}). // of code that does not follow
		load(0x4000, 0x100, 3, "third").
		load(0x1080, 0x10, 4, "over").
		load(0x7000, 0, 5, "empty").
		move(0x1000, 0x9000, 0x100, 1).
		move(0x5000, 0x2040, 0x10, 77). // what was never loaded
		other(99, 3).
		other(3, 0).b
}

// TestDump in either byte order, whole and as it is written byte by byte.
func TestDump(t *testing.T) {
	for _, order := range orders {
		data := whole(order)
		_, r := reading(data)
		update(t, r)
		f, slow := reading(nil)
		for n := range len(data) + 1 {
			f.set(data[:n])
			update(t, slow)
		}
		for _, r := range []*generated.Reader{r, slow} {
			want(t, r, map[uint64]string{
				0x9000: "first /a.js:3", 0x900f: "first /a.js:3", 0x9010: "first /a.js:4", 0x9020: "first /b.js:9", 0x9030: "first", 0x90ff: "first", 0x9100: "",
				0x1000: "", 0x1080: "", 0x2000: "second f", 0x203f: "second f", 0x2040: "", 0x2050: "second f", 0x4000: "third", 0x3000: "", 0x7000: "",
			})
		}
	}
}

// TestMovedOver: newer code at an address wins, moved or made, and of code that is
// moved on nothing stays.
func TestMovedOver(t *testing.T) {
	w := begin(binary.LittleEndian, 0, 24).load(0x1000, 0x100, 1, "f").load(0x2000, 0x100, 2, "g")
	f, r := reading(w.b)
	for _, step := range []struct {
		write func()
		want  map[uint64]string
	}{
		{func() {}, map[uint64]string{0x1000: "f", 0x2000: "g"}},
		{func() { w.move(0x1000, 0x2080, 0x100, 1) }, map[uint64]string{0x1000: "", 0x2000: "g", 0x2080: "f", 0x2100: "f"}},
		{func() { w.move(0x2080, 0x20c0, 0x100, 1) }, map[uint64]string{0x2000: "g", 0x2080: "", 0x20c0: "f", 0x21bf: "f"}},
		{func() { w.load(0x20c0, 0x10, 3, "h") }, map[uint64]string{0x20c0: "h", 0x20d0: "f"}},
		{func() { w.move(0x20c0, 0x5000, 0x80, 1) }, map[uint64]string{0x5000: "", 0x20d0: "f"}}, // of another size
		{func() { w.move(0x20c0, 0x6000, 0x100, 9) }, map[uint64]string{0x6000: "", 0x20d0: "f"}},
		{func() { w.load(0x20d0, 0x10, 10, strings.Repeat("x", 2*maxName)) }, map[uint64]string{0x20d0: strings.Repeat("x", 1<<10) + "…", 0x20e0: "f"}},
	} {
		step.write()
		f.set(w.b)
		update(t, r)
		want(t, r, step.want)
	}
}

// TestLinesOfV8 are not believed, the names are.
func TestLinesOfV8(t *testing.T) {
	for reserved, text := range map[uint32]string{0: "f a.js:3", reservedOfV8: "f"} {
		_, r := reading(begin(binary.LittleEndian, reserved, 0).debug(0x1000, line{0, 3, "a.js"}).load(0x1000, 0x100, 1, "f").b)
		update(t, r)
		want(t, r, map[uint64]string{0x1000: text})
	}
}

// TestCodeIsPassedOver: what is read of a file with much code is not much.
func TestCodeIsPassedOver(t *testing.T) {
	w := begin(binary.BigEndian, 0, 0)
	for i := range uint64(20) {
		w.load(i<<32, 1<<20, i, fmt.Sprint("f", i))
	}
	f, r := reading(w.b)
	update(t, r)
	want(t, r, map[uint64]string{0: "f0", 19 << 32: "f19"})
	if most := 20 * 80 << 10; f.reads > most {
		t.Errorf("%d bytes of %d were read", f.reads, len(w.b))
	}
	other := bytes.Replace(w.b, []byte("f19"), []byte("g19"), 1)
	other[len(other)-1] = 0x90
	f.set(other)
	update(t, r)
	want(t, r, map[uint64]string{0: "f0", 19 << 32: "g19"})
	w.b = other
	w.load(1<<48, 16, 21, "later")
	f.set(w.b)
	update(t, r)
	want(t, r, map[uint64]string{0: "f0", 1 << 48: "later"})
	f.set(append(begin(binary.LittleEndian, 0, 8).load(1<<48, 16, 1, "anew").b, make([]byte, len(w.b))...))
	if err := r.Update(); err == nil {
		t.Error("a record of no size is taken")
	}
	want(t, r, map[uint64]string{0: "", 1 << 48: ""})
}

// TestWrittenAnew: a file that was begun again holds nothing of before.
func TestWrittenAnew(t *testing.T) {
	f, r := reading(begin(binary.LittleEndian, 0, 0).debug(0x1000, line{0, 1, "a"}).load(0x1000, 0x100, 1, "f").debug(0x2000, line{0, 2, "b"}).b)
	update(t, r)
	want(t, r, map[uint64]string{0x1000: "f a:1"})
	f.set(begin(binary.BigEndian, 0, 0).load(0x2000, 0x100, 2, "g").move(0x1000, 0x3000, 0x100, 1).b)
	update(t, r)
	want(t, r, map[uint64]string{0x1000: "", 0x2000: "g", 0x3000: ""})
}

// TestNoDump tells what cannot be read, and then has no names.
func TestNoDump(t *testing.T) {
	good := begin(binary.LittleEndian, 0, 0).load(0x1000, 0x100, 1, "f").b
	for name, bad := range map[string][]byte{
		"another magic":  append([]byte("JITD"), good[4:]...),
		"a short header": append(append(bytes.Clone(good[:8]), 39, 0, 0, 0), good[12:]...),
		"a long header":  append(append(bytes.Clone(good[:8]), 0, 0, 0x20, 0), make([]byte, 4<<20)...),
		"a short record": append(bytes.Clone(good), 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	} {
		_, r := reading(bad)
		if r.Update() == nil {
			t.Errorf("%s is taken", name)
		}
		want(t, r, map[uint64]string{0x1000: ""})
	}
	for _, short := range [][]byte{nil, good[:39], good[:40], good[:len(good)-1]} {
		_, r := reading(short)
		update(t, r)
		want(t, r, map[uint64]string{0x1000: ""})
	}
}

// TestLineBounds: lines without end cost the code its lines, not its name.
func TestLineBounds(t *testing.T) {
	many := func(claimed uint64, lines int) []byte {
		w := begin(binary.LittleEndian, 0, 0)
		w.record(codeDebugInfo, func() {
			w.u64(0x1000, claimed)
			for i := range lines {
				w.u64(0x1000+uint64(i)).u32(uint32(i+1), 0)
				w.b = append(w.b, "a\x00"...)
			}
		})
		return w.load(0x1000, 0x100, 1, "f").b
	}
	for _, c := range []struct {
		claimed uint64
		lines   int
		want    string
	}{
		{3, 3, "f a:2"}, {1 << 19, 3, "f a:2"}, {1, 3, "f a:1"}, {maxLines + 1, 3, "f"}, {1 << 63, 3, "f"}, {generated.MaxPart / 8, generated.MaxPart / 8, "f"},
	} {
		_, r := reading(many(c.claimed, c.lines))
		update(t, r)
		want(t, r, map[uint64]string{0x1001: c.want})
	}
	d := &decoder{header: header{order: binary.LittleEndian}, kept: maxLines - 2}
	rec := begin(binary.LittleEndian, 0, 0).debug(0x1000, line{0, 1, "a"}, line{1, 2, "a"}).b[headerSize:]
	if d.debug(rec, int64(len(rec))); d.lines == nil || d.kept != maxLines {
		t.Error("the last lines are not kept")
	}
	if d.debug(rec, int64(len(rec))); d.lines != nil {
		t.Error("more lines are kept")
	}
}

// TestLineNumbers are those that are not 0 and that 31 bits hold.
func TestLineNumbers(t *testing.T) {
	for number, known := range map[uint32]bool{0: false, 1: true, 1<<31 - 1: true, 1 << 31: false, 1<<32 - 1: false} {
		want := generated.Line{Start: 0x10}
		if known {
			want.File, want.Line = "a", int(number)
		}
		if got := lineOf(0x10, number, "a"); got != want {
			t.Errorf("line %d is %+v, want %+v", number, got, want)
		}
	}
}

// TestOddCode wraps around the end of the address space, or has no name.
func TestOddCode(t *testing.T) {
	w := begin(binary.LittleEndian, 0, 0).load(0x1000, 0x100, 1, "f").load(0x1010, 16, 2, "").
		load(^uint64(0)-3, 8, 3, "around").move(0x1000, ^uint64(0)-3, 0x100, 1)
	w.record(codeLoad, func() { w.u64(1, 2) }).record(codeMove, func() { w.u64(1, 2) }).record(codeDebugInfo, func() { w.u64(1) })
	w.record(codeLoad, func() {
		w.u32(1, 1).u64(0x1020, 0x1020, 16, 4)
		w.b = append(w.b, "no end"...)
	})
	for n := range loadHead + moveSize { // records that are too short
		w.other(codeLoad, n).other(codeMove, n).other(codeDebugInfo, n)
	}
	_, r := reading(w.b)
	update(t, r)
	want(t, r, map[uint64]string{0x1000: "f", 0x1010: "", 0x1020: "", 0x1030: "f", ^uint64(0) - 2: "", 0: ""})
}
