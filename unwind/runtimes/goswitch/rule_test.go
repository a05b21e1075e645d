package goswitch

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// Where things are in the tests: the code, the thread's stack behind the call, the
// end of the goroutine's stack, and its g.
const (
	start     = 0x40_0000
	returnsTo = start + 0x60
	threadSP  = 0x7000_1000
	stackEnd  = 0xc000_0800
	depth     = 0x1b8
	goroutine = 0xc000_9000
	savedFP   = stackEnd - 0x100
	caller    = 0x41_1234
)

// makes are the instructions behind the call, as llvm-objdump 22 shows those of
// programs that Go has made: after a switch, and on the thread's own stack.
var makes = []struct {
	name       string
	arch       task.Arch
	g, depth   uint64 // from sp
	away, here string
}{
	{"1.21.13 linux", task.AMD64, 0x30, 0x28,
		"48 8b 7c 24 30 48 8b 77 08 48 2b 74 24 28 64 48 89 3c 25 f8 ff ff ff 48 89 f4 89 44 24 20 5d c3",
		"48 8b 74 24 28 48 89 f4 89 44 24 20 5d c3"},
	{"1.21.13 darwin", task.AMD64, 0x30, 0x28,
		"48 8b 7c 24 30 48 8b 77 08 48 2b 74 24 28 65 48 89 3c 25 30 00 00 00 48 89 f4 89 44 24 20 5d c3",
		"48 8b 74 24 28 48 89 f4 89 44 24 20 5d c3"},
	{"1.26.8 linux, 1.23.12", task.AMD64, 8, 0,
		"48 8b 7c 24 08 48 8b 77 08 48 2b 34 24 64 48 89 3c 25 f8 ff ff ff 48 89 f4 89 44 24 20 5d c3",
		"48 8b 34 24 48 89 f4 89 44 24 20 5d c3"},
	{"1.26.8 darwin, 1.23.12", task.AMD64, 8, 0,
		"48 8b 7c 24 08 48 8b 77 08 48 2b 34 24 65 48 89 3c 25 30 00 00 00 48 89 f4 89 44 24 20 5d c3",
		"48 8b 34 24 48 89 f4 89 44 24 20 5d c3"},
	{"1.21.13, 1.23.12", task.ARM64, 0, 8,
		"e90300aa fc0340f9 17060094 850740f9 e60740f9 a50006cb e00309aa bf000091 e02b00b9 fdfb7fa9 ff430091 c0035fd6",
		"e20740f9 5f000091 e01700f9 fdfb7fa9 ff430091 c0035fd6"},
	{"1.26.8", task.ARM64, 0, 8,
		"e90300aa fc0340f9 eb040094 850740f9 e60740f9 a50006cb e00309aa bf000091 e02b00b9 fd835ff8 fe0741f8 c0035fd6",
		"e20740f9 5f000091 e01700f9 fd835ff8 fe0741f8 c0035fd6"},
}

// memory has some bytes at each of some addresses.
type memory map[task.Addr][]byte

func (m memory) ReadMemory(p []byte, a task.Addr) (int, error) {
	for at, b := range m {
		if a >= at && a < at+task.Addr(len(b)) {
			if n := copy(p, b[a-at:]); n < len(p) {
				return n, &task.FaultError{Addr: a + task.Addr(n)}
			}
			return len(p), nil
		}
	}
	return 0, &task.FaultError{Addr: a}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ruleOf is the rule of code behind a call, of a function that begins as Go's.
func ruleOf(arch task.Arch, code []byte) (rule.Rule, error) {
	m := memory{returnsTo: code, start: makesRecord}
	return Rule(&rule.Query{Arch: arch, PC: returnsTo - 1, Code: m}, start)
}

// words are bytes of 64-bit numbers, at offsets.
func words(size int, at map[uint64]uint64) []byte {
	b := make([]byte, size)
	for off, v := range at {
		binary.LittleEndian.PutUint64(b[off:], v)
	}
	return b
}

// frameOf is a thread in the call, with what is at its sp, and the frame record
// that is at p.
func frameOf(arch task.Arch, atSP map[uint64]uint64, p uint64) *rule.State {
	record := map[uint64]uint64{0x10: savedFP, 0x18: caller}
	from := p - 0x10
	if arch == task.ARM64 { // the record begins below p
		from = p - 0x18
	}
	t := &task.Thread{Stacks: []task.Stack{
		{Base: threadSP, Bytes: words(0x80, atSP)},
		{Base: task.Addr(from), Bytes: words(0x80, record)},
	}}
	t.Registers.Arch = arch
	t.Registers.Set(arch.PC(), returnsTo)
	t.Registers.Set(arch.SP(), threadSP)
	s := new(rule.State)
	s.Reset(t)
	return s
}

// expect requires that the frame leads to the caller.
func expect(t *testing.T, r rule.Rule, s *rule.State, p uint64) {
	t.Helper()
	if err := s.Apply(&r); err != nil {
		t.Fatal(err)
	}
	fp, known := s.Regs.Value(s.Regs.Arch.FP())
	if s.Regs.PC() != caller || uint64(s.Regs.SP()) != p+16 || !known || fp != savedFP {
		t.Errorf("pc %v, sp %v, fp %#x (%v)", s.Regs.PC(), s.Regs.SP(), fp, known)
	}
}

func TestBackToTheGoroutine(t *testing.T) {
	for _, m := range makes {
		t.Run(m.arch.String()+" "+m.name, func(t *testing.T) {
			r, err := ruleOf(m.arch, unhex(t, m.away))
			if err != nil || !r.Has(rule.OtherStack|rule.Unproven) {
				t.Fatal(r, err)
			}
			s := frameOf(m.arch, map[uint64]uint64{m.g: goroutine, m.depth: depth}, stackEnd-depth)
			s.Memory = memory{goroutine: words(16, map[uint64]uint64{8: stackEnd})}
			s.Regs.Set(m.arch.FP(), 0x1234) // of the code in between, which is not known
			expect(t, r, s, stackEnd-depth)
		})
	}
}

func TestOnTheThreadsOwnStack(t *testing.T) {
	for _, m := range makes {
		r, err := ruleOf(m.arch, unhex(t, m.here))
		if err != nil {
			t.Fatal(m.name, err)
		}
		const p = threadSP + 0x400
		expect(t, r, frameOf(m.arch, map[uint64]uint64{m.g: 0, m.depth: p}, p), p)
	}
}

// Where the frame pointer is as deep as the saved depth says, nothing else is
// asked.
func TestFramePointerThatIsProven(t *testing.T) {
	m := makes[3]
	r, err := ruleOf(m.arch, unhex(t, m.away))
	if err != nil {
		t.Fatal(err)
	}
	const p = stackEnd - depth
	s := frameOf(m.arch, map[uint64]uint64{m.g: goroutine, m.depth: depth}, p)
	s.Regs.Set(m.arch.FP(), p)
	expect(t, r, s, p)
}

// An end that no stack has, a g that is not there, and a frame pointer in a
// function that makes no record lead nowhere.
func TestWhatLeadsNowhere(t *testing.T) {
	for _, m := range makes {
		r, err := ruleOf(m.arch, unhex(t, m.away))
		if err != nil {
			t.Fatal(m.name, err)
		}
		const p = stackEnd - depth
		for what, mem := range map[string]memory{
			"an end within a stack": {goroutine: words(16, map[uint64]uint64{8: stackEnd + 8})},
			"an end below":          {goroutine: words(16, map[uint64]uint64{8: 0})},
			"no g":                  {},
		} {
			s := frameOf(m.arch, map[uint64]uint64{m.g: goroutine, m.depth: depth}, p)
			s.Memory = mem
			s.Regs.Set(m.arch.FP(), p+8)
			if err := s.Apply(&r); !errors.Is(err, errGoroutine) || s.Regs.PC() != returnsTo {
				t.Errorf("%v %s, %s: %v", m.arch, m.name, what, err)
			}
		}
		s := frameOf(m.arch, map[uint64]uint64{m.g: goroutine, m.depth: depth}, p)
		s.Memory = memory{goroutine: words(16, map[uint64]uint64{8: stackEnd + 0x1000})}
		if err := s.Apply(&r); err != rule.ErrNotCaptured {
			t.Errorf("%v %s, another stack: %v", m.arch, m.name, err)
		}
	}
	m := makes[3]
	r, _ := ruleOf(m.arch, unhex(t, m.away))
	s := frameOf(m.arch, map[uint64]uint64{m.g: 0, m.depth: depth}, stackEnd-depth)
	s.Regs.Set(m.arch.FP(), stackEnd-depth)
	if err := s.Apply(&r); !errors.Is(err, errGoroutine) {
		t.Errorf("no goroutine: %v", err)
	}
	code := memory{returnsTo: unhex(t, m.away), start: {0x48, 0x89, 0xe5, 0x90}}
	r, _ = Rule(&rule.Query{Arch: m.arch, PC: returnsTo - 1, Code: code}, start)
	s = frameOf(m.arch, map[uint64]uint64{m.g: goroutine, m.depth: depth}, stackEnd-depth)
	s.Regs.Set(m.arch.FP(), stackEnd-depth)
	if err := s.Apply(&r); err == nil {
		t.Error("a frame pointer was believed that is of the caller")
	}
}

// Code that does anything else, or not all of it, has no such rule: an instruction
// left out never gives another place.
func TestOtherCode(t *testing.T) {
	for _, m := range makes {
		for _, text := range []string{m.away, m.here} {
			code := unhex(t, text)
			for n := range len(code) {
				if r, err := ruleOf(m.arch, code[:n]); err != rule.ErrNone {
					t.Errorf("%v %s: %d of %d bytes: %v, %v", m.arch, m.name, n, len(code), r, err)
				}
			}
			whole, _ := ruleOf(m.arch, code)
			for from := 0; from+4 <= len(code); from++ {
				spoiled := append(append([]byte(nil), code[:from]...), code[min(len(code), from+4):]...)
				r, err := ruleOf(m.arch, spoiled)
				if err == nil && r.Expression.(*away).p != whole.Expression.(*away).p && r.Expression.(*away).p.kind != word {
					t.Errorf("%v %s without 4 bytes at %d: %+v", m.arch, m.name, from, r.Expression)
				}
			}
		}
	}
}

// Code that goes back to somewhere else, or may.
func TestCodeThatDoesMore(t *testing.T) {
	for _, tt := range []struct {
		name string
		arch task.Arch
		code string
	}{
		{"writes what it reads next", task.AMD64, "48 89 4c 24 08 48 8b 34 24 48 89 f4 5d c3"},
		{"writes over the record", task.AMD64, "48 8b 34 24 48 89 f4 89 44 24 08 5d c3"},
		{"pops its stack pointer", task.AMD64, "48 8b 34 24 48 89 f4 5c c3"},
		{"sets its stack pointer twice", task.AMD64, "48 8b 34 24 48 8b 7c 24 08 48 89 f4 48 89 fc 5d c3"},
		{"sets it to g", task.AMD64, "48 8b 7c 24 08 48 8b 77 08 48 89 f4 5d c3"},
		{"loads its stack pointer", task.AMD64, "48 8b 27 48 8b 34 24 48 89 f4 5d c3"},
		{"counts in registers", task.AMD64, "48 2b c8 48 8b 34 24 48 89 f4 5d c3"},
		{"calls", task.AMD64, "48 8b 34 24 e8 00 00 00 00 48 89 f4 5d c3"},
		{"jumps", task.AMD64, "48 8b 34 24 eb 00 48 89 f4 5d c3"},
		{"loses the depth in a call", task.ARM64, "fc0340f9 e60740f9 17060094 850740f9 a50006cb bf000091 fdfb7fa9 ff430091 c0035fd6"},
		{"writes over the record", task.ARM64, "e20740f9 5f000091 e00700f9 fdfb7fa9 ff430091 c0035fd6"},
		{"writes what it reads next", task.ARM64, "e00700f9 e20740f9 5f000091 fdfb7fa9 ff430091 c0035fd6"},
		{"returns by another register", task.ARM64, "e20740f9 5f000091 fd835ff8 c0035fd6"},
	} {
		if r, err := ruleOf(tt.arch, unhex(t, tt.code)); err != rule.ErrNone {
			t.Errorf("%v, code that %s: %+v, %v", tt.arch, tt.name, r.Expression, err)
		}
	}
}

// FuzzRule: any code has a rule or none.
func FuzzRule(f *testing.F) {
	for _, m := range makes {
		b, _ := hex.DecodeString(strings.ReplaceAll(m.away, " ", ""))
		f.Add(b, m.arch == task.ARM64)
	}
	f.Fuzz(func(t *testing.T, code []byte, arm bool) {
		arch := task.AMD64
		if arm {
			arch = task.ARM64
		}
		r, err := ruleOf(arch, code)
		if err != nil {
			return
		}
		s := frameOf(arch, map[uint64]uint64{0: goroutine, 8: depth}, stackEnd-depth)
		_ = s.Apply(&r)
	})
}
