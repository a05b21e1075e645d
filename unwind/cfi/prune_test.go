package cfi

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/unwind/rule"
)

// pruned returns the file that is left of im, of which pcs were added.
func pruned(t *testing.T, im *file, pcs []uint64) (*file, *Pruner) {
	t.Helper()
	left := &file{arch: im.arch, segments: im.segments, symbols: im.symbols, sections: map[object.Kind]object.Section{}}
	var last *Pruner
	for _, kind := range []object.Kind{object.EHFrame, object.DebugFrame} {
		p, err := NewPruner(im, kind)
		if err != nil {
			continue
		}
		for _, pc := range pcs {
			before := p.Section()
			p.Add(pc)
			after := p.Section()
			if !p.Whole() && string(after.Data[:len(before.Data)]) != string(before.Data) {
				t.Fatalf("adding %#x changed what was picked before", pc)
			}
		}
		left.sections[kind], last = p.Section(), p
		if p.Whole() {
			left.sections[object.EHFrameHdr] = im.sections[object.EHFrameHdr]
		}
	}
	return left, last
}

// wantSameRules compares the rules of two files, as text, and their errors.
func wantSameRules(t *testing.T, a, b *file, pcs []uint64) {
	t.Helper()
	var of, ofPruned Source
	qa, qb := query(a, 0), query(b, 0)
	for _, pc := range pcs {
		qa.PC, qb.PC = task.Addr(pc), task.Addr(pc)
		x, y := ruleText(&of, qa), ruleText(&ofPruned, qb)
		if x != y {
			t.Errorf("at %#x: %s, pruned: %s", pc, x, y)
		}
	}
}

func ruleText(s *Source, q rule.Query) string {
	r, err := s.Rule(q)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(r.Format(q.Arch), r.Flags)
}

// TestPrunedSystemFiles wants the rules of files that compilers made to be the
// same at every kind of address, in any order.
func TestPrunedSystemFiles(t *testing.T) {
	files := []string{"/usr/bin/python3", "/bin/bash"}
	for _, glob := range []string{"/lib/*/libc.so.6", "/usr/lib/*/libstdc++.so.6", "../../images/macho/testdata/*.*"} {
		found, _ := filepath.Glob(glob)
		files = append(files, found...)
	}
	files = append(files, goPrograms(t)...)
	tested := 0
	for _, path := range files {
		im := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{}}
		var pcs []uint64
		for _, kind := range []object.Kind{object.EHFrame, object.DebugFrame} {
			s := testSection(path, kind)
			if s == nil {
				continue
			}
			im.sections[kind] = s.Section
			switch {
			case s.swapped:
				im.arch, im.segments = task.I386, []object.Segment{{Name: "__TEXT"}}
			case s.pointerSize == 4:
				im.arch = task.I386
			}
			pcs = append(pcs, somePCs(s)...)
		}
		if len(pcs) == 0 {
			continue
		}
		tested++
		t.Run(filepath.Base(path), func(t *testing.T) {
			left, p := pruned(t, im, pcs)
			if p.Whole() {
				t.Error("kept whole")
			}
			wantSameRules(t, im, left, pcs)
			t.Logf("%d pcs, %d bytes", len(pcs), len(p.Section().Data))
		})
	}
	if tested == 0 {
		needs.Skip(t, "files with call frame information", "")
	}
}

// somePCs returns addresses in and around some of the FDEs of a section.
func somePCs(s *section) []uint64 {
	ix, _ := newIndex(s)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(ix), func(i, j int) { ix[i], ix[j] = ix[j], ix[i] })
	var pcs []uint64
	for _, f := range ix[:min(len(ix), 400)] {
		for range 4 {
			pcs = append(pcs, f.start+random.Uint64N(uint64(f.size)))
		}
		end := f.start + uint64(f.size)
		pcs = append(pcs, f.start, end-1, end, f.start-1)
	}
	return pcs
}

// TestPruned wants every rule, errors among them, to survive, in both kinds of
// section.
func TestPruned(t *testing.T) {
	for _, tt := range rules {
		for _, eh := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " ", eh), func(t *testing.T) {
				b := builder{eh: eh}
				b.fde(b.cie("", nil, standard...), 0x900, 0x100)
				b.fde(b.cie("zRS", []byte{encUData8}, standard...), 0x1000, 0x100, append([]byte{0}, tt.program...)...)
				im := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: b.section().Section}}
				if eh {
					im.sections = map[object.Kind]object.Section{object.EHFrame: b.section().Section}
				}
				pcs := []uint64{0x1010, 0x10, 0x1100, 0x10ff}
				left, _ := pruned(t, im, pcs)
				wantSameRules(t, im, left, pcs)
			})
		}
	}
}

// TestPrunedWhole wants sections that contradict themselves to be kept as they
// are, since their errors are part of what they say.
func TestPrunedWhole(t *testing.T) {
	overlapping := builder{}
	cie := overlapping.cie("", nil, standard...)
	overlapping.fde(cie, 0x1000, 0x100)
	overlapping.fde(cie, 0x1080, 0x100, opDefCFAOffset, 32)
	cut := builder{eh: true}
	cut.fde(cut.cie("", nil, standard...), 0x1000, 0x100)
	cut.b = append(cut.b, 0x80, 0, 0, 0, 1)
	for name, b := range map[string]*builder{"overlapping": &overlapping, "cut": &cut} {
		im := &file{arch: task.AMD64, sections: map[object.Kind]object.Section{object.DebugFrame: b.section().Section}}
		if b.eh {
			im.sections = map[object.Kind]object.Section{object.EHFrame: b.section().Section}
		}
		pcs := []uint64{0x1010, 0x1090, 0x1170, 0x2000}
		left, p := pruned(t, im, pcs)
		if !p.Whole() {
			t.Errorf("%s: not kept whole", name)
		}
		wantSameRules(t, im, left, pcs)
	}
}

// FuzzPrune prunes arbitrary sections for a few addresses: the rules have to
// stay what they are.
func FuzzPrune(f *testing.F) {
	for _, tt := range rules {
		var b builder
		b.fde(b.cie("", nil, standard...), 0x1000, 0x100, tt.program...)
		f.Add(b.b, []byte{}, uint64(0x1010), uint64(0x1000), uint8(task.AMD64), false)
	}
	b := builder{eh: true}
	cie := b.cie("zPLRS", []byte{encUData4 | encDataRel, 1, 2, 3, 4, 0x1b, encSData4 | encPCRel}, standard...)
	fde := 0x5000 + uint64(b.fde(cie, 0x1000, 0x100))
	f.Add(b.b, hdr(0x1000, fde).Data, uint64(0x1010), uint64(0x2000), uint8(task.AMD64), true)
	f.Fuzz(func(t *testing.T, frame, header []byte, a, b uint64, arch uint8, eh bool) {
		im := &file{arch: task.Arch(arch%4 + 1), sections: map[object.Kind]object.Section{}}
		im.sections[object.DebugFrame] = object.Section{VMAddr: 0x5000, Data: frame}
		if eh {
			im.sections[object.EHFrame] = im.sections[object.DebugFrame]
			im.sections[object.EHFrameHdr] = object.Section{VMAddr: 0x4000, Data: header}
			delete(im.sections, object.DebugFrame)
		}
		pcs := []uint64{a, b, a + 1, b - 1}
		left, _ := pruned(t, im, pcs)
		wantSameRules(t, im, left, pcs)
	})
}
