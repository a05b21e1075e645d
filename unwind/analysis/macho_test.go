package analysis

import (
	"debug/macho"
	"errors"
	"path/filepath"
	"testing"

	"stacksnap/images"
	ours "stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/unwind/compact"
	"stacksnap/unwind/rule"
)

// These tests compare with the compact unwind of the Mach-O files in the folder
// that STACKSNAP_MACHO_DIR names. It is right wherever a function calls another.

// loaded is a Mach-O file at its own vmaddrs, its code as memory.
type loaded struct {
	image *images.Image
	text  *macho.Section
	data  []byte
	all   []byte // __TEXT
	base  uint64
}

func (l *loaded) ReadMemory(p []byte, a task.Addr) (int, error) {
	off := uint64(a) - l.base
	if off >= uint64(len(l.all)) {
		return 0, &task.FaultError{Addr: a}
	}
	n := copy(p, l.all[off:])
	if n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return n, nil
}

func load(t testing.TB, path string) *loaded {
	f, err := macho.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := &loaded{text: f.Section("__text")}
	seg := f.Segment("__TEXT")
	l.base = seg.Addr
	if l.data, err = l.text.Data(); err == nil {
		l.all, err = seg.Data()
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := ours.Open(path, ours.Want{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	l.image = &images.Image{Placed: object.Placed{Load: task.Addr(seg.Addr), File: file}}
	return l
}

func machos(t testing.TB) []string {
	dir := needs.Variable(t, "STACKSNAP_MACHO_DIR", "a folder of Mach-O files")
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) == 0 {
		t.Fatal("no files in ", dir)
	}
	return files
}

func TestAgreesWithCompact(t *testing.T) {
	for _, path := range machos(t) {
		compareCompact(t, path)
	}
}

func compareCompact(t *testing.T, path string) {
	l := load(t, path)
	m := machineOf(l.image.File.Arch())
	tables := new(compact.Source)
	var counts [4]int
	total, unreached, functions, declined := 0, 0, 0, map[string]int{}
	shown := 0
	var w walk
	for at := l.text.Addr; at < l.text.Addr+l.text.Size; {
		q := rule.Query{Arch: l.image.File.Arch(), Image: l.image, PC: task.Addr(at), Code: l}
		start, end, ok := fileExtent(&q)
		if !ok || uint64(end) <= at {
			break
		}
		end = min(end, task.Addr(l.text.Addr+l.text.Size))
		at = uint64(end)
		functions++
		if err := w.read(l, start, int(end-start)); err != nil {
			continue
		}
		w.machine, w.pc = m, 0
		all := instructions(m, w.code)
		total += all
		if err := w.run(); err != nil {
			declined[err.Error()] += all
			continue
		}
		seen := 0
		w.eachState(func(off uint32, s *state) {
			in := m.decode(w.code, off)
			if !in.nop {
				seen++
			}
			q.PC = start + task.Addr(off)
			r, err := tables.Rule(q)
			if in.flow != call || err != nil {
				return
			}
			v, what := judgeRule(m, s, &r)
			counts[v]++
			if v == contradicts && shown < 12 {
				shown++
				t.Logf("%s: %v in %v: %s; sp %v fp %v slots %v, rule %v", filepath.Base(path), q.PC, start, what, s.reg[m.sp], s.reg[m.fp], s.slot, r.Format(q.Arch))
			}
		})
		unreached += all - seen
	}
	// What remains is data behind a switch that looks like calls.
	if counts[contradicts]*200 > counts[agrees] {
		t.Errorf("%s: too many differences", filepath.Base(path))
	}
	t.Logf("%s: %d functions, %d instructions, %d of them unreached, %v declined; at calls that compact unwind covers: %d agree, %d declined, %d incomparable, %d contradict",
		filepath.Base(path), functions, total, unreached, declined, counts[agrees], counts[declines], counts[incomparable], counts[contradicts])
}

// judgeRule compares a state at a call with a rule.
func judgeRule(m *machine, s *state, r *rule.Rule) (verdict, string) {
	after := *s
	if _, err := m.rule(&after, true, false); errors.Is(err, ErrUncertain) {
		return declines, ""
	}
	base := numbered(m, r.CFA.Base)
	switch {
	case s.reg[base].kind != frame:
		return incomparable, ""
	case s.reg[base].off != -r.CFA.Off:
		return contradicts, "cfa"
	case m == &arm64 && m.slotOf(s, x30) != r.RA.Off:
		return contradicts, "pc"
	}
	for _, v := range r.Saved[:r.N] {
		k := numbered(m, v.Reg)
		if s.reg[k] != entryOf(k) && m.slotOf(s, k) != v.Off {
			return contradicts, "a register"
		}
	}
	return agrees, ""
}

func numbered(m *machine, dwarf task.Reg) uint8 {
	for i, d := range m.dwarf {
		if d == uint8(dwarf) {
			return uint8(i)
		}
	}
	return 0
}

// BenchmarkFunctions asks about one place in the middle of each of many functions:
// of which nothing is known, and of which other places have been asked for.
func BenchmarkFunctions(b *testing.B) {
	for _, path := range machos(b) {
		l := load(b, path)
		q := rule.Query{Arch: l.image.File.Arch(), Image: l.image, First: true, Code: l}
		var s Source
		b.Run(filepath.Base(path)+"/cold", func(b *testing.B) {
			at := l.text.Addr
			b.ReportAllocs()
			for b.Loop() {
				s.known = knowns{}
				q.PC = task.Addr(at &^ 3)
				at = l.text.Addr + (at-l.text.Addr+10007)%l.text.Size
				_, _ = s.Rule(q)
			}
		})
		b.Run(filepath.Base(path)+"/again", func(b *testing.B) {
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				q.PC = task.Addr(l.text.Addr + (i>>8*10007+i&0xff*4)%l.text.Size)
				_, _ = s.Rule(q)
			}
		})
	}
}
