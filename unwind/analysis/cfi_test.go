package analysis

import (
	"bufio"
	"debug/elf"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// These tests compare with call frame information that GCC made for every
// instruction, as readelf prints it: of all files in the folder that
// STACKSNAP_ELF_DIR names (x86_64, i386, aarch64 and 32-bit ARM libraries of a Linux
// system; those of ARM with the .debug_frame of LLVM, which tells nothing of epilogues).

// fde is one function's rows.
type fde struct {
	start, end uint64
	rows       []row
}

// row is what holds from addr on.
type row struct {
	addr    uint64
	cfaReg  string
	cfaOff  int64
	complex bool           // an expression
	saved   map[string]int // by register: distance from the CFA
}

// frames runs readelf.
func frames(t *testing.T, path string) []fde {
	tool := needs.Tool(t, "readelf")
	cmd := exec.Command(tool, "--debug-dump=frames-interp", path)
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	var p frameParser
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		p.line(strings.Fields(lines.Text()))
	}
	for i := range p.fdes {
		if f := &p.fdes[i]; len(f.rows) == 0 {
			f.rows = p.cies[p.of[i]]
		}
	}
	return p.fdes
}

type frameParser struct {
	fdes    []fde
	of      []string // the CIE of each
	cies    map[string][]row
	cie     string // being read; empty: an FDE is
	columns []string
}

func (p *frameParser) line(f []string) {
	switch {
	case len(f) >= 4 && f[3] == "CIE":
		if p.cies == nil {
			p.cies = map[string][]row{}
		}
		p.cie = f[0]
	case len(f) >= 6 && f[3] == "FDE":
		lo, hi, _ := strings.Cut(strings.TrimPrefix(f[5], "pc="), "..")
		p.fdes = append(p.fdes, fde{start: hex64(lo), end: hex64(hi)})
		p.of = append(p.of, strings.TrimPrefix(f[4], "cie="))
		p.cie = ""
	case len(f) > 1 && f[0] == "LOC":
		p.columns = f[2:]
	case len(f) >= 2 && (len(f[0]) == 16 || len(f[0]) == 8):
		r := parseRow(f, p.columns)
		if p.cie != "" {
			p.cies[p.cie] = append(p.cies[p.cie], r)
		} else if n := len(p.fdes); n > 0 {
			p.fdes[n-1].rows = append(p.fdes[n-1].rows, r)
		}
	}
}

func hex64(s string) uint64 { x, _ := strconv.ParseUint(s, 16, 64); return x }

func parseRow(f, columns []string) row {
	r := row{addr: hex64(f[0]), saved: map[string]int{}}
	if i := strings.IndexAny(f[1], "+-"); i > 0 {
		r.cfaReg = f[1][:i]
		r.cfaOff, _ = strconv.ParseInt(f[1][i:], 10, 64)
	} else {
		r.complex = true
	}
	for i, c := range columns {
		if v := f[2:]; i < len(v) && strings.HasPrefix(v[i], "c") {
			r.saved[c], _ = strconv.Atoi(v[i][1:])
		} else if i < len(v) && strings.Contains(v[i], "exp") {
			r.complex = true
		}
	}
	return r
}

func (f *fde) at(addr uint64) *row {
	var last *row
	for i := range f.rows {
		if f.rows[i].addr <= addr || i == 0 {
			last = &f.rows[i]
		}
	}
	return last
}

// The names that readelf has for registers, by number. That of arm64's and ARM's link
// register is "ra", as the column of return addresses is theirs.
var (
	amd64Names = []string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	i386Names  = []string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"}
	armNames   = []string{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "ra"}
)

func namesOf(m *machine) []string {
	switch m {
	case &amd64:
		return amd64Names
	case &i386:
		return i386Names
	case &arm, &thumb:
		return armNames
	}
	return nil
}

func registerNamed(m *machine, name string) (uint8, bool) {
	if names := namesOf(m); names != nil {
		i := slices.Index(names, name)
		return uint8(max(i, 0)), i >= 0
	}
	if name == "sp" {
		return xsp, true
	}
	if name == "ra" {
		return x30, true
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "x"))
	return uint8(n), err == nil && n < 31
}

// verdict of one comparison.
type verdict int

const (
	agrees verdict = iota
	declines
	incomparable // the CFA is known by other registers
	contradicts
)

// judge compares a state with a row.
func judge(m *machine, s *state, r *row) (verdict, string) {
	base, ok := registerNamed(m, r.cfaReg)
	if r.complex || !ok {
		return incomparable, ""
	}
	if _, err := m.rule(&[]state{*s}[0], false, false); err != nil {
		return declines, ""
	}
	if s.reg[base].kind != frame {
		return incomparable, ""
	}
	if noEpilogues := m == &arm || m == &thumb; noEpilogues && base == m.sp && int64(s.reg[base].off) > -r.cfaOff {
		return incomparable, ""
	}
	if int64(s.reg[base].off) != -r.cfaOff {
		return contradicts, "cfa"
	}
	for i, k := range m.kept {
		was := s.reg[k] == entryOf(k) || s.reg[k].kind == signed
		off, saved := r.saved[nameOf(m, k)]
		if !was && (!saved || s.slot[i] != int32(off)) {
			if s.slot[i] == 0 && k != m.lr && k != m.fp {
				continue // said to be lost
			}
			return contradicts, nameOf(m, k)
		}
	}
	return agrees, ""
}

func nameOf(m *machine, k uint8) string {
	if names := namesOf(m); names != nil {
		return names[k]
	}
	if k == x30 {
		return "ra"
	}
	return "x" + strconv.Itoa(int(k))
}

// eachState visits the state before every instruction that was reached.
func (w *walk) eachState(visit func(off uint32, s *state)) {
	for i := range w.blocks {
		b := &w.blocks[i]
		if !b.seen {
			continue
		}
		s := b.in
		for off := b.off; off < uint32(len(w.code)); {
			visit(off, &s)
			var in inst
			w.step(w.machine, w.code, off, &s, &in)
			off += in.size
			nb, _ := w.block(int64(off))
			var scratch walk
			scratch.machine, scratch.mem, scratch.start, scratch.pops = w.machine, w.mem, w.start, w.pops
			if in.size == 0 || !scratch.follow(&block{}, &in, &s) || nb != nil {
				break
			}
		}
	}
}

func TestAgreesWithCFI(t *testing.T) {
	dir := needs.Variable(t, "STACKSNAP_ELF_DIR", "a folder of ELF files")
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) == 0 {
		t.Fatal("no files in ", dir)
	}
	for _, path := range files {
		compareCFI(t, path)
	}
}

// shares are how much may contradict, in thousandths, and must agree, in hundredths.
// Most that does not agree is declined on i386, where it is not known how much the
// callee has popped (of structures returned by functions of the C library in software
// floating point, or called through the PLT), and on ARM data between functions.
var shares = map[elf.Machine]struct{ wrong, right int }{
	elf.EM_X86_64: {1, 99}, elf.EM_AARCH64: {1, 99}, elf.EM_386: {8, 50}, elf.EM_ARM: {4, 80},
}

func compareCFI(t *testing.T, path string) {
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := map[elf.Machine]*machine{elf.EM_AARCH64: &arm64, elf.EM_X86_64: &amd64, elf.EM_386: &i386, elf.EM_ARM: &thumb}[f.Machine]
	var counts [4]int
	total, fragments, shown := 0, 0, map[string]int{}
	reasons := map[string]int{}
	var w walk
	for _, fde := range frames(t, path) {
		w.code = codeOf(f, fde.start, fde.end)
		if len(w.code) == 0 {
			continue
		}
		if f.Machine == elf.EM_ARM {
			m = armMachines[fde.start%4 != 0 || looksThumb(w.code)]
		}
		w.machine, w.pc, w.pops = m, 0, false
		w.mem, w.start = elfCode{f}, task.Addr(fde.start)
		if first := fde.at(fde.start); first.cfaOff != int64(m.pushed()) {
			fragments++ // a function's part that another jumps to
			continue
		}
		total += instructions(m, w.code)
		err := w.run()
		if err == ErrUnbalanced && m == &i386 {
			w.pops = true // as rule does
			err = w.run()
		}
		if err != nil {
			reasons[errors.Unwrap(err).Error()+": "+err.Error()] += instructions(m, w.code)
			continue
		}
		w.eachState(func(off uint32, s *state) {
			if m.decode(w.code, off).nop {
				return
			}
			v, what := judge(m, s, fde.at(fde.start+uint64(off)))
			counts[v]++
			if v == contradicts {
				if shown[what]++; shown[what] < 6 && testing.Verbose() {
					t.Logf("%s: %#x (function %#x): %s; sp %v fp %v slots %v, row %v", filepath.Base(path), fde.start+uint64(off), fde.start, what, s.reg[m.sp], s.reg[m.fp], s.slot, *fde.at(fde.start + uint64(off)))
				}
			}
		})
	}
	// What remains: assembly whose CFI is wrong or missing (glibc's mpn functions
	// and resolver trampolines), parts of functions, and landing pads of frames half
	// made.
	want := shares[f.Machine]
	if counts[contradicts]*1000 > total*want.wrong || counts[agrees]*100 < total*want.right {
		t.Errorf("%s: too many differences", filepath.Base(path))
	}
	t.Logf("%s: of %d instructions %d agree (%.2f %%), %d declined, %d incomparable, %d contradict (%v); declined: %v; %d fragments skipped",
		filepath.Base(path), total, counts[agrees], 100*float64(counts[agrees])/float64(total), counts[declines], counts[incomparable], counts[contradicts], shown, reasons, fragments)
}

// instructions counts them without those that only fill.
func instructions(m *machine, code []byte) int {
	n := 0
	for off := uint32(0); off < uint32(len(code)); {
		in := m.decode(code, off)
		off += max(in.size, m.unit)
		if !in.nop {
			n++
		}
	}
	return n
}

// elfCode is a file's code as memory.
type elfCode struct{ *elf.File }

func (f elfCode) ReadMemory(p []byte, a task.Addr) (int, error) {
	for n := len(p); n > 0; n /= 2 {
		if b := codeOf(f.File, uint64(a), uint64(a)+uint64(n)); b != nil {
			return copy(p, b), nil
		}
	}
	return 0, &task.FaultError{Addr: a}
}

func codeOf(f *elf.File, lo, hi uint64) []byte {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_EXECINSTR != 0 && lo >= s.Addr && hi <= s.Addr+s.Size && hi > lo {
			b := make([]byte, hi-lo)
			s.ReadAt(b, int64(lo-s.Addr))
			return b
		}
	}
	return nil
}
