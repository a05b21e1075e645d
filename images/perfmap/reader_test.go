package perfmap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stacksnap/images/generated"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Bounds of [generated.Reader].
const (
	tailSize   = 64
	maxRead    = 4 * maxFile
	maxEntries = 1 << 19
	maxRanges  = 1 << 11
)

// memory is a file whose bytes the test sets.
type memory struct {
	bytes.Reader
	data   string
	claims int64 // beyond its end
	at     int64 // changes
	err    error
	reads  int64
	closed bool
}

func (m *memory) set(data string) {
	m.data = data
	m.at++
	m.Reset([]byte(data))
}

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	n, err := m.Reader.ReadAt(p, off)
	m.reads += int64(n)
	return n, err
}

func (m *memory) Stat() (fs.FileInfo, error) { return m, m.err }
func (m *memory) Close() error               { m.closed = true; return nil }
func (m *memory) Name() string               { return "" }
func (m *memory) Size() int64                { return int64(len(m.data)) + m.claims }
func (m *memory) Mode() fs.FileMode          { return 0 }
func (m *memory) ModTime() time.Time         { return time.Unix(m.at, 0) }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }

func reading(data string) (*memory, *generated.Reader) {
	m := new(memory)
	m.set(data)
	return m, NewReader(m)
}

func update(t *testing.T, r *generated.Reader) {
	t.Helper()
	if err := r.Update(); err != nil {
		t.Fatal(err)
	}
}

func wantName(t *testing.T, n *generated.Names, a uint64, want string) {
	t.Helper()
	if s, ok := n.Symbol(a); s.Name != want || ok != (want != "") {
		t.Errorf("%#x is %q, want %q", a, s.Name, want)
	}
}

func TestNames(t *testing.T) {
	m, r := reading("1000 100 f\nnonsense\n1040 10 g\n2000 10 half a li")
	wantName(t, r.Names(), 0x1000, "") // nothing was read so far
	update(t, r)
	n := r.Names()
	wantName(t, n, 0x1000, "f")
	wantName(t, n, 0x104f, "g")
	wantName(t, n, 0x1050, "f")
	wantName(t, n, 0x1100, "")
	wantName(t, n, 0x2000, "")
	if s, _ := n.Symbol(0x1080); s != (object.Symbol{Name: "f", VMAddr: 0x1000, Size: 0x100}) {
		t.Errorf("symbol %+v", s)
	}
	m.set(m.data + "ne\n")
	update(t, r)
	wantName(t, r.Names(), 0x2000, "half a line")
	if err := r.Close(); err != nil || !m.closed {
		t.Error("the file is open")
	}
}

// TestAnswersStay as they were given, and names are others as soon as one of those
// is wrong.
func TestAnswersStay(t *testing.T) {
	m, r := reading("1000 100 f\n")
	update(t, r)
	n := r.Names()
	wantName(t, n, 0x1010, "f")
	wantName(t, n, 0x3000, "")
	m.set(m.data + "2000 100 g\n1080 10 h\n1000 100 f\n")
	update(t, r)
	if r.Names() != n {
		t.Fatal("other names, though no answer has changed")
	}
	wantName(t, n, 0x2010, "g")
	wantName(t, n, 0x1080, "f")
	for i, line := range []string{"1010 1 other\n", "3000 1 late\n"} {
		m.set(m.data + line)
		update(t, r)
		next := r.Names()
		if next == n {
			t.Fatalf("%d: the names are the same, though an answer is wrong", i)
		}
		wantName(t, n, 0x2010, [...]string{"g", ""}[i])
		wantName(t, n, 0x2020, "") // was not asked by then
		n = next
		wantName(t, n, 0x1010, "other")
		wantName(t, n, 0x3000, [...]string{"", "late"}[i])
	}
	before := m.reads
	update(t, r)
	if m.reads != before {
		t.Error("a file that has not changed is read")
	}
}

// TestManyNewPieces are compared with what was asked all together.
func TestManyNewPieces(t *testing.T) {
	m, r := reading("1000 100 f\n")
	update(t, r)
	n := r.Names()
	for a := range uint64(0x100) {
		wantName(t, n, 0x1000+a, "f")
	}
	var more strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&more, "%x 10 g%d\n", 0x10000+16*i, i)
	}
	m.set(m.data + more.String())
	update(t, r)
	if r.Names() != n {
		t.Error("other names")
	}
	m.set(m.data + more.String() + "10ff 1 end\n")
	update(t, r)
	if r.Names() == n {
		t.Error("the same names")
	}
	wantName(t, r.Names(), 0x10ff, "end")
	wantName(t, r.Names(), 0x10000+16*4999, "g4999")
}

// TestNewPiecesOverlap: each covers all that was asked.
func TestNewPiecesOverlap(t *testing.T) {
	m, r := reading("1000 100 f\n")
	update(t, r)
	n := r.Names()
	wantName(t, n, 0x1000, "f")
	wantName(t, n, 0x1001, "f")
	m.set(m.data + "1000 100 f\n1000 100 f\n")
	update(t, r)
	if r.Names() != n {
		t.Error("other names, though no answer has changed")
	}
	m.set(m.data + "1000 100 f\n1000 100 g\n")
	update(t, r)
	wantName(t, r.Names(), 0x1000, "g")
}

// TestFileIsWrittenAnew: what was read before holds no longer.
func TestFileIsWrittenAnew(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"shorter":       {"3000 10 h\n", "h"},
		"longer":        {"3000 10 h\n4000 10 i\n5000 10 j\n", "h"},
		"as long":       {"3000 100 h\n4000 10 i\n", "h"},
		"empty":         {"", ""},
		"changed early": {"3000 100 f\n2000 10 g\n6000 10 k\n", "f"},
	} {
		t.Run(name, func(t *testing.T) {
			m, r := reading("1000 100 f\n2000 10 g\n")
			update(t, r)
			n := r.Names()
			wantName(t, n, 0x1000, "f")
			m.set(c.data)
			update(t, r)
			if r.Names() == n {
				t.Fatal("the names are the same")
			}
			wantName(t, r.Names(), 0x1000, "")
			wantName(t, r.Names(), 0x3000, c.want)
		})
	}
}

// TestLongLines are passed over to their end, wherever that is, and read once.
func TestLongLines(t *testing.T) {
	long := "1000 10 " + strings.Repeat("x", 3*maxLine)
	m, r := reading("2000 10 f\n" + long + "\n3000 10 g\n" + long)
	update(t, r)
	wantName(t, r.Names(), 0x1000, "")
	wantName(t, r.Names(), 0x3000, "g")
	before := m.reads
	m.set(m.data + "5000 10 in it")
	update(t, r)
	if m.reads-before > 4*tailSize {
		t.Errorf("%d bytes were read again", m.reads-before)
	}
	m.set(m.data + "\n4000 10 h\n")
	update(t, r)
	wantName(t, r.Names(), 0x4000, "h")
	wantName(t, r.Names(), 0x5000, "")
	wantName(t, r.Names(), 0x1000, "")
}

// TestBounds: of a file that is not read whole nothing is used, for what is missing
// may have replaced it.
func TestBounds(t *testing.T) {
	for name, spoil := range map[string]func(*memory){
		"too large":     func(m *memory) { m.claims = maxFile },
		"no longer":     func(m *memory) { m.err = errors.New("stale") },
		"larger by one": func(m *memory) { m.claims = maxFile + 1 - int64(len(m.data)) },
	} {
		t.Run(name, func(t *testing.T) {
			m, r := reading("1000 100 f\n")
			update(t, r)
			n := r.Names()
			wantName(t, n, 0x1000, "f")
			spoil(m)
			m.at++
			if r.Update() == nil {
				t.Fatal("no error")
			}
			if r.Names() == n {
				t.Error("the names are the same")
			}
			wantName(t, r.Names(), 0x1000, "")
			if err := r.Update(); err != nil {
				t.Errorf("told again: %v", err)
			}
		})
	}
	m, r := reading("1000 100 f\n")
	m.claims = 100 // it was cut since it was looked at
	update(t, r)
	wantName(t, r.Names(), 0x1000, "f")
	if _, err := m.ReadAt(make([]byte, 1), 100); err != io.EOF {
		t.Error(err)
	}
}

// TestWrittenTooOften bounds what a target costs that writes its file again and
// again.
func TestWrittenTooOften(t *testing.T) {
	const size = 32 << 20
	data := [2]string{}
	for i := range data {
		line := fmt.Sprintf("%x 100 f\n", 0x1000*(i+1))
		data[i] = strings.Repeat(line, size/len(line))
	}
	m, r := reading(data[0])
	for i := range maxRead / size {
		m.set(data[i%2])
		update(t, r)
		wantName(t, r.Names(), uint64(0x1000*(i%2+1)), "f")
	}
	m.set(data[0])
	if err := r.Update(); err == nil || !strings.Contains(err.Error(), "again and again") {
		t.Errorf("error %v", err)
	}
	wantName(t, r.Names(), 0x1000, "")
}

// TestTooManyEntries bounds what is kept.
func TestTooManyEntries(t *testing.T) {
	var b bytes.Buffer
	for i := range maxEntries + 1 {
		fmt.Fprintf(&b, "%x 1 f\n", 2*i)
	}
	_, r := reading(b.String())
	if r.Update() == nil {
		t.Error("no error")
	}
	wantName(t, r.Names(), 0, "")
	_, r = reading(b.String()[:strings.LastIndexByte(b.String()[:b.Len()-1], '\n')+1])
	update(t, r)
	wantName(t, r.Names(), 2*(maxEntries-1), "f")
}

// TestOpenFile reads a file of the system, as it is written.
func TestOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "perf-1.map")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(f)
	defer r.Close()
	for i := range 3 {
		fmt.Fprintf(w, "%x 10 f%d\n", 0x1000*i, i)
		update(t, r)
		wantName(t, r.Names(), uint64(0x1000*i), fmt.Sprint("f", i))
	}
}

func TestFile(t *testing.T) {
	_, r := reading("1000 100 f\n")
	update(t, r)
	f := r.Names().File(task.ARM64, []generated.Range{{Start: 0x1000, End: 0x2000}, {Start: 0x2000, End: 0x3000}, {Start: 0x5000, End: 0x6000}})
	const code = task.Read | task.Execute
	want := []object.Segment{{VMAddr: 0x1000, Size: 0x2000, Prot: code}, {VMAddr: 0x5000, Size: 0x1000, Prot: code}}
	if got := f.Segments(); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("segments %+v", got)
	}
	if s, ok := f.Symbol(0x1001); !ok || s.Name != "f" || f.Arch() != task.ARM64 || !f.HasSymbols() || f.ID() != nil {
		t.Errorf("%+v", s)
	}
	if _, err := f.Section(object.EHFrame); !errors.Is(err, object.ErrNoSection) {
		t.Error(err)
	}
	if _, ok := f.FunctionStart(0x1001); ok {
		t.Error("a start is told")
	}
	many := make([]generated.Range, maxRanges+5)
	for i := range many {
		many[i] = generated.Range{Start: task.Addr(i * 0x2000), End: task.Addr(i*0x2000 + 0x1000)}
	}
	if n := len(r.Names().File(task.ARM64, many).Segments()); n != maxRanges {
		t.Errorf("%d segments", n)
	}
}

// FuzzReader reads a file in two parts, and wants what a search of all its lines
// finds.
func FuzzReader(f *testing.F) {
	f.Add("1000 100 f\n1010 4 g\n", 12, uint64(0x1011))
	f.Add("0x1000 0x100 f\r\n10 \n\n", 3, uint64(0x1000))
	f.Add("1000 100 f\n", 5, uint64(0))
	f.Fuzz(func(t *testing.T, data string, at int, asked uint64) {
		at = min(max(0, at), len(data))
		m, r := reading(data[:at])
		update(t, r)
		first, _ := r.Names().Symbol(asked)
		names := r.Names()
		m.set(data)
		update(t, r)
		if again, _ := names.Symbol(asked); again != first {
			t.Errorf("%+v became %+v", first, again)
		}
		got, _ := r.Names().Symbol(asked)
		var all []generated.Entry
		for _, line := range strings.SplitAfter(data, "\n") {
			if line, whole := strings.CutSuffix(line, "\n"); whole && len(line) <= maxLine {
				if e, ok := parseLine([]byte(line)); ok {
					all = append(all, e)
				}
			}
		}
		want := ""
		for _, e := range all {
			if asked >= e.Start && asked < e.End {
				want = e.Name
			}
		}
		if got.Name != want || got.Name != "" && asked-got.VMAddr >= got.Size {
			t.Errorf("%#x is %+v, want %q", asked, got, want)
		}
	})
}
