package recorded_test

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// library is a file whose functions are 16 bytes long and lie at multiples of
// 32, in [0x1000, 0x2000).
type library struct {
	id       []byte
	sections map[object.Kind]string
	broken   map[object.Kind]error
}

func (l *library) Arch() task.Arch  { return task.AMD64 }
func (l *library) ID() []byte       { return l.id }
func (l *library) HasSymbols() bool { return true }
func (l *library) Close() error     { return nil }

func (l *library) Segments() []object.Segment {
	return []object.Segment{{Name: "text", VMAddr: 0x1000, Size: 0x1000, Offset: 0x400, FileSize: 0x800, Prot: task.Read | task.Execute}}
}

// Source knows nothing from 0x1200 on.
func (l *library) Source(v uint64) []object.Source {
	if v >= 0x1200 {
		return nil
	}
	return []object.Source{
		{Function: "inner", File: "/src/a.h", Line: 3, Column: int(v % 16)},
		{Function: "f", File: "/src/a.c", Line: 41, Low: 0x1000, High: 0x1200},
	}
}

func (l *library) Symbol(v uint64) (object.Symbol, bool) {
	if v%32 >= 16 {
		return object.Symbol{Name: "no answer"}, false
	}
	return object.Symbol{Name: "__f", Public: "f", VMAddr: v &^ 31, Size: 16}, true
}

func (l *library) FunctionStart(v uint64) (uint64, bool) { return v &^ 31, v%32 < 16 }

func (l *library) Section(k object.Kind) (object.Section, error) {
	if err := l.broken[k]; err != nil {
		return object.Section{}, err
	}
	s, ok := l.sections[k]
	if !ok {
		return object.Section{}, object.ErrNoSection
	}
	return object.Section{VMAddr: 0x3000, Data: []byte(s)}, nil
}

// picker picks one letter for each address, and all at address 0x1666.
type picker struct {
	file   object.File
	kind   object.Kind
	picked []byte
	whole  bool
}

func (p *picker) Add(v uint64) {
	p.picked = append(p.picked, 'a'+byte(v%26))
	p.whole = p.whole || v == 0x1666
}

func (p *picker) Whole() bool { return p.whole }

func (p *picker) Section() object.Section {
	if p.whole {
		s, _ := p.file.Section(p.kind)
		return s
	}
	return object.Section{VMAddr: 0x3000, Data: p.picked}
}

func pick(f object.File, k object.Kind) (recorded.Pruner, error) {
	if _, err := f.Section(k); err != nil {
		return nil, err
	}
	return &picker{file: f, kind: k}, nil
}

// nothing is memory that cannot be read.
type nothing struct{}

func (nothing) ReadMemory(_ []byte, a task.Addr) (int, error) { return 0, &task.FaultError{Addr: a} }

func noRegions(func(task.Region, error) bool) {}

func pcs(a ...task.Addr) iter.Seq[task.Addr] { return slices.Values(a) }

// session is a recording that is being made.
type session struct {
	t     *testing.T
	file  bytes.Buffer
	w     *recording.Writer
	saver *recorded.Saver
	m     *images.Map
}

func newSession(t *testing.T) *session {
	s := &session{t: t}
	var err error
	if s.w, err = recording.NewWriter(&s.file, recording.Header{}); err != nil {
		t.Fatal(err)
	}
	s.saver = recorded.NewSaver(s.w, nothing{}, pick)
	return s
}

func (s *session) place(placed ...object.Placed) {
	s.m = images.NewMap(s.saver.Place(placed, noRegions))
}

func (s *session) save(a ...task.Addr) {
	s.t.Helper()
	if err := s.saver.Save(&recording.Sample{Snapshot: &task.Snapshot{}}, s.m, pcs(a...)); err != nil {
		s.t.Fatal(err)
	}
}

// reopen ends the recording, and reads its first snapshot.
func (s *session) reopen() *recording.Reader {
	s.t.Helper()
	if err := s.w.Close(recording.End{}); err != nil {
		s.t.Fatal(err)
	}
	r, err := recording.NewReader(bytes.NewReader(s.file.Bytes()))
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := r.Next(); err != nil {
		s.t.Fatal(err)
	}
	return r
}

const slide = 0x7f0000

func placed(l *library) object.Placed {
	return object.Placed{Path: "/lib/l.so", Load: slide + 0x1000, Slide: slide, File: l, Note: "deleted", Err: errors.New("half")}
}

func TestAnswersAreThoseOfTheFile(t *testing.T) {
	l := &library{
		id: []byte{1},
		sections: map[object.Kind]string{
			object.EHFrame: "frames", object.EHFrameHdr: "header", object.UnwindInfo: "compact", object.ExIdx: "index", object.GoPCLnTab: "long table",
		},
		broken: map[object.Kind]error{object.DebugFrame: errors.New("cannot be decompressed")},
	}
	s := newSession(t)
	s.place(placed(l))
	watched := s.m.Images[0].File
	for k := range object.GoPCLnTab + 1 {
		_, _ = watched.Section(k)
	}
	_, _ = watched.Symbol(0x1500)
	s.save(slide+0x1101, slide+0x1110)
	for range 2 {
		_ = object.SourceOf(watched, 0x1110) // as when the profile is made, after the last snapshot
	}
	_ = object.SourceOf(watched, 0x1300)
	s.saver.Flush()
	r := s.reopen()
	p := recorded.Place(r)[0]
	if p.Path != "/lib/l.so" || p.Load != slide+0x1000 || p.Slide != slide || p.Note != "deleted" || p.Err.Error() != "half" {
		t.Errorf("placed %+v", p)
	}
	f := p.File
	if f.Arch() != task.AMD64 || string(f.ID()) != "\x01" || !f.HasSymbols() || !slices.Equal(f.Segments(), l.Segments()) {
		t.Errorf("file %+v", f)
	}
	for _, v := range []uint64{0x1101, 0x1100, 0x1110, 0x110f, 0x1500} {
		want, wantOK := l.Symbol(v)
		if got, ok := f.Symbol(v); ok != wantOK || ok && got != want {
			t.Errorf("symbol of %#x: %v %v, want %v %v", v, got, ok, want, wantOK)
		}
	}
	if start, ok := f.FunctionStart(0x110f); !ok || start != 0x1100 {
		t.Errorf("start %#x %v", start, ok)
	}
	if want, got := l.Source(0x1110), object.SourceOf(f, 0x1110); !slices.Equal(got, want) || object.SourceOf(f, 0x1300) != nil {
		t.Errorf("source %+v, want %+v", got, want)
	}
	if _, ok := f.Symbol(0x1200); ok {
		t.Error("there is an answer to what was not asked")
	}
	wantSection(t, f, object.UnwindInfo, "compact")
	wantSection(t, f, object.ExIdx, "index")
	wantSection(t, f, object.GoPCLnTab, "")
	wantSection(t, f, object.EHFrame, "lkaz") // 0x1101, 0x1100, 0x1110 and 0x110f, modulo 26
	if _, err := f.Section(object.DebugFrame); err == nil || err.Error() != "cannot be decompressed" {
		t.Errorf("error %v", err)
	}
	for _, k := range []object.Kind{object.EHFrameHdr, 200} {
		if _, err := f.Section(k); err != object.ErrNoSection {
			t.Errorf("section %d: %v", k, err)
		}
	}
}

func wantSection(t *testing.T, f object.File, k object.Kind, want string) {
	t.Helper()
	if s, err := f.Section(k); err != nil || string(s.Data) != want || s.VMAddr != 0x3000 {
		t.Errorf("section %d: %q at %#x, %v; want %q", k, s.Data, s.VMAddr, err, want)
	}
}

func TestWholeSectionsComeWithTheirHeader(t *testing.T) {
	l := &library{sections: map[object.Kind]string{object.EHFrame: "frames", object.EHFrameHdr: "header"}}
	s := newSession(t)
	s.place(placed(l))
	s.save(slide + 0x1100)
	s.save(slide + 0x1666)
	s.save(slide + 0x1700)
	f := recorded.Place(s.reopen())[0].File
	wantSection(t, f, object.EHFrame, "frames")
	wantSection(t, f, object.EHFrameHdr, "header")
}

func TestGenerations(t *testing.T) {
	s := newSession(t)
	lost := object.Placed{Path: "/lib/lost.so", Load: 0x5000, Err: errors.New("gone")}
	s.place(placed(&library{id: []byte{1}}), lost)
	s.save(slide + 0x1100)
	s.place(placed(&library{id: []byte{1}})) // the same file, opened again
	s.save(slide + 0x1200)
	s.place(placed(&library{id: []byte{2}}), placed(&library{}), placed(&library{}))
	s.save()
	r := s.reopen()
	first := recorded.Place(r)
	if r.Generation() != 1 || len(first) != 2 || first[1].File != nil || first[1].Err.Error() != "gone" {
		t.Errorf("generation %d: %+v", r.Generation(), first)
	}
	if _, ok := first[0].File.Symbol(0x1200); !ok {
		t.Error("the same file is two images")
	}
	if _, err := r.Next(); err != nil || r.Generation() != 2 || len(recorded.Place(r)) != 1 {
		t.Errorf("generation %d with %d images, %v", r.Generation(), len(recorded.Place(r)), err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	files := r.Files()
	if len(files) != 3 || files[1] == files[2] || string(files[0].ID) != "\x02" {
		t.Errorf("images %v", files)
	}
}

// TestBundle: what the program is called is in the recording.
func TestBundle(t *testing.T) {
	s := newSession(t)
	want := object.Placed{Path: "/a", Main: true, Variant: "arm64e", Bundle: object.Bundle{ID: "org.example", Version: "1.2", Build: "3"}}
	s.place(want, object.Placed{Path: "/b"})
	s.save()
	got := recorded.Place(s.reopen())
	if len(got) != 2 || got[0] != want || got[1].Bundle != (object.Bundle{}) {
		t.Errorf("%+v", got)
	}
}

// TestSharedCacheIsKept with the map that it was told with.
func TestSharedCacheIsKept(t *testing.T) {
	s := newSession(t)
	m := images.NewMap([]object.Placed{{Path: "/a", Load: 0x1000}})
	m.Cache = &images.SharedCache{UUID: [16]byte{1, 2, 15: 3}, Base: 0x18c0a4000, Slide: 0xc0a4000}
	if s.m = s.saver.PlaceMap(m, noRegions); s.m.Cache != m.Cache || len(s.m.Images) != 1 {
		t.Errorf("%+v", s.m)
	}
	s.save()
	if got := recorded.Map(s.reopen()); got.Cache == nil || *got.Cache != *m.Cache || got.Images[0].Path != "/a" {
		t.Errorf("%+v", got)
	}
	s = newSession(t)
	s.place(object.Placed{Path: "/a"})
	s.save()
	if got := recorded.Map(s.reopen()); got.Cache != nil {
		t.Errorf("%+v of a recording without one", got.Cache)
	}
}
