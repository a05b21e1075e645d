package x86

import (
	"bufio"
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		hex    string
		flow   Flow
		writes uint32
	}{
		{"c3", Ret, 0},
		{"f3c3", Ret, 0},
		{"f30f1efa", Next, 0},                     // endbr64
		{"4889e5", Next, 1 << 5},                  // mov rsp, rbp
		{"4881ec38120000", Next, 1 << 4},          // sub imm32, rsp
		{"b501", Next, 1 << 1},                    // mov 1, ch
		{"40b501", Next, 1 << 5},                  // mov 1, bpl
		{"48b80102030405060708", Next, 1 << 0},    // movabs
		{"66b80102", Next, 1 << 0},                // mov imm16, ax
		{"e800000000", Call, 0},                   //
		{"ff1425efbeadde", Call, 0},               // call *abs
		{"ff2500000000", Indirect, 0},             // jmp *rip
		{"ffe0", Indirect, 0},                     //
		{"0f8500000000", Branch, 0},               //
		{"7512", Branch, 0},                       //
		{"0f0b", Stop, 0},                         //
		{"48a10102030405060708", Next, 1 << 0},    // mov moffs64, rax
		{"f60701", Next, 0},                       // test imm8, (rdi)
		{"48f7d8", Next, 1 << 0},                  // neg rax
		{"48f7f1", Next, 1<<0 | 1<<2},             // div rcx
		{"660f3a14c801", Next, 1 << 0},            // pextrb
		{"c4e2fbf6c1", Next, 1 << 0},              // mulx
		{"c4e2f0f2c3", Next, 1 << 0},              // andn
		{"c5f877", Next, 0},                       // vzeroupper
		{"62f17c48104804", Next, 0},               // vmovups 0x100(rax), zmm1
		{"8f00", Next, 0},                         // pop (rax)
		{"c8100000", Next, 0},                     // enter
		{"6766f3a5", Next, 1<<6 | 1<<7 | 1<<1},    // rep movsw
		{"4839dc", Next, 0},                       // cmp rbx, rsp
		{"4c8d442410", Next, 1 << 8},              // lea 16(rsp), r8
		{"428b84b012345678", Next, 1 << 0},        // mov disp32(rax,r14,4), eax
		{"8b042511223344", Next, 1 << 0},          // mov abs, eax
		{"0fa2", Next, 1<<0 | 1<<1 | 1<<2 | 1<<3}, // cpuid
		{"480fc7f1", Next, 1<<0 | 1<<2 | 1<<1},    // rdrand
	} {
		code, _ := hex.DecodeString(c.hex)
		var i Inst
		if !i.Decode(code, 0) || int(i.Size) != len(code) || i.Flow() != c.flow || i.Writes() != c.writes {
			t.Errorf("%s: size %d, flow %v, writes %#x", c.hex, i.Size, i.Flow(), i.Writes())
		}
		if i.Decode(code[:len(code)-1], 0) && c.hex[:2] != "8f" {
			t.Errorf("%s: decoded without its last byte", c.hex)
		}
	}
}

// In 32-bit mode some opcodes are others, and there is no REX.
func TestDecode32(t *testing.T) {
	for _, c := range []struct {
		hex    string
		flow   Flow
		writes uint32
		wide   bool
	}{
		{"55", Next, 0, true},                             // push ebp
		{"89e5", Next, 1 << 5, true},                      // mov esp, ebp
		{"81ec38120000", Next, 1 << 4, true},              // sub imm32, esp
		{"6681ec3812", Next, 1 << 4, false},               // sub imm16, sp
		{"48", Next, 1 << 0, true},                        // dec eax
		{"47", Next, 1 << 7, true},                        // inc edi
		{"06", Next, 0, true},                             // push es
		{"1f", Next, 0, true},                             // pop ds
		{"60", Next, 0, true},                             // pusha
		{"61", Next, 0xef, true},                          // popa
		{"62442410", Next, 0, true},                       // bound 16(esp), eax
		{"c4442410", Next, 1 << 0, true},                  // les 16(esp), eax
		{"c5f877", Next, 0, true},                         // vzeroupper
		{"c4e2fbf6c1", Next, 1 << 0, true},                // mulx
		{"c4e23bf6c1", Next, 1 << 0, true},                // whose upper eight registers are the lower
		{"c4c37914c001", Next, 1 << 0, true},              // vpextrb
		{"62f17c48104804", Next, 0, true},                 // vmovups 256(eax), zmm1
		{"a111223344", Next, 1 << 0, true},                // mov moffs32, eax
		{"67a11122", Next, 1 << 0, true},                  // mov moffs16, eax
		{"8b0511223344", Next, 1 << 0, true},              // mov abs, eax
		{"678b4702", Next, 1 << 0, true},                  // mov 2(bx), eax
		{"678b061122", Next, 1 << 0, true},                // mov abs16, eax
		{"678b871122", Next, 1 << 0, true},                // mov disp16(bx), eax
		{"678b07", Next, 1 << 0, true},                    // mov (bx), eax
		{"b801020304", Next, 1 << 0, true},                // mov imm32, eax
		{"e800000000", Call, 0, true},                     //
		{"66e80000", Call, 0, false},                      // with a distance of 16 bits
		{"9a000000001100", Next, 0, true},                 // far call
		{"ea000000001100", Next, 0, true},                 // far jmp
		{"ff25efbeadde", Indirect, 0, true},               // jmp *abs
		{"c20800", Ret, 0, true},                          //
		{"82c305", Next, 1 << 3, true},                    // add imm8, bl
		{"d40a", Next, 1 << 0, true},                      // aam
		{"27", Next, 1 << 0, true}, {"ce", Next, 0, true}, // daa, into
		{"63c8", Next, 1 << 0, true}, // arpl cx, ax
	} {
		code, _ := hex.DecodeString(c.hex)
		var i Inst
		if !i.Decode32(code, 0) || int(i.Size) != len(code) || i.Flow() != c.flow || i.Writes() != c.writes || i.Wide() != c.wide {
			t.Errorf("%s: size %d, flow %v, writes %#x, wide %t", c.hex, i.Size, i.Flow(), i.Writes(), i.Wide())
		}
		if i.Decode32(code[:len(code)-1], 0) {
			t.Errorf("%s: decoded without its last byte", c.hex)
		}
	}
}

// text is a section of instructions.
type text struct {
	addr   uint64
	data   []byte
	mode32 bool
}

// open reads the section __text or .text of an x86_64 or i386 file, and false of any
// other.
func open(path string) (text, bool) {
	if f, err := macho.Open(path); err == nil && (f.Cpu == macho.CpuAmd64 || f.Cpu == macho.Cpu386) {
		s := f.Section("__text")
		b, err := s.Data()
		return text{s.Addr, b, f.Cpu == macho.Cpu386}, err == nil
	}
	if f, err := elf.Open(path); err == nil && (f.Machine == elf.EM_X86_64 || f.Machine == elf.EM_386) {
		s := f.Section(".text")
		b, err := s.Data()
		return text{s.Addr, b, f.Machine == elf.EM_386}, err == nil
	}
	return text{}, false
}

// TestAgreesWithObjdump compares the length of every instruction of the files in
// the folders that STACKSNAP_MACHO_DIR and STACKSNAP_ELF_DIR name.
func TestAgreesWithObjdump(t *testing.T) {
	var files []string
	for _, v := range []string{"STACKSNAP_MACHO_DIR", "STACKSNAP_ELF_DIR"} {
		if dir := os.Getenv(v); dir != "" {
			more, _ := filepath.Glob(filepath.Join(dir, "*"))
			files = append(files, more...)
		}
	}
	if len(files) == 0 {
		needs.Skip(t, "$STACKSNAP_ELF_DIR", "or $STACKSNAP_MACHO_DIR, a folder of files")
	}
	tool := needs.LLVM(t, "llvm-objdump", 1)
	for _, path := range files {
		if s, ok := open(path); ok {
			compare(t, tool, path, s)
		}
	}
}

func compare(t *testing.T, tool, path string, s text) {
	cmd := exec.Command(tool, "-d", "--section=__text", "--section=.text", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	total, differ, unknown := 0, map[string]int{}, 0
	prefixed := 0 // bytes of prefixes that LLVM printed before this line
	var i Inst
	for lines := bufio.NewScanner(out); lines.Scan(); {
		addr, size, name, ok := parse(lines.Text())
		if !ok || addr < s.addr || addr-s.addr >= uint64(len(s.data)) {
			continue
		}
		if prefixes[name] && size == 1 {
			prefixed += size
			continue
		}
		addr, size, prefixed = addr-uint64(prefixed), size+prefixed, 0
		total++
		decoded := i.decode(s.data, uint32(addr-s.addr), s.mode32)
		switch {
		case name == "<unknown>" || strings.HasPrefix(name, ".") || size > Longest || apx(s.data[addr-s.addr:]):
			unknown++ // data
		case name == "jmp" && i.OpSize && i.Op == 0xe9:
			unknown++ // only AMD's processors take the prefix for a shorter distance
		case !decoded || int(i.Size) != size:
			if differ[name]++; differ[name] < 4 {
				t.Logf("%s: %#x: %s: size %d, ours %d, %v", filepath.Base(path), addr, name, size, i.Size, decoded)
			}
		}
	}
	cmd.Wait()
	t.Logf("%s: %d instructions, %d unknown to LLVM, different lengths: %v", filepath.Base(path), total, unknown, differ)
	if len(differ) > 0 {
		t.Fail()
	}
}

// prefixes are printed as lines of their own where they stand before certain
// instructions.
var prefixes = map[string]bool{
	"lock": true, "rep": true, "repne": true, "xacquire": true, "xrelease": true, "data16": true, "addr32": true,
	"cs": true, "ds": true, "es": true, "ss": true, "fs": true, "gs": true, "rex64": true,
}

// apx reports whether the opcode is REX2, which only occurs where data is taken
// for code.
func apx(code []byte) bool {
	for _, b := range code {
		switch b {
		case 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65:
			continue
		}
		return b == 0xd5
	}
	return false
}

// parse reads "  1f2a: 48 89 e5  \tmovq\t%rsp, %rbp".
func parse(line string) (addr uint64, size int, name string, ok bool) {
	at, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return 0, 0, "", false
	}
	addr, err := strconv.ParseUint(strings.TrimSpace(at), 16, 64)
	if err != nil {
		return 0, 0, "", false
	}
	raw, mnemonic, ok := strings.Cut(rest, "\t")
	name, _, _ = strings.Cut(mnemonic, "\t")
	return addr, len(strings.Fields(raw)), strings.TrimSpace(name), ok
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x48, 0x81, 0xec, 0x38, 0x12, 0, 0})
	f.Add([]byte{0x62, 0xf1, 0x7c, 0x48, 0x10, 0x48, 0x04})
	f.Fuzz(func(t *testing.T, code []byte) {
		var i Inst
		for off := range 2 * uint32(len(code)) {
			if i.decode(code, off/2, off%2 != 0) && (i.Size == 0 || i.Size > Longest || int(off/2+i.Size) > len(code)) {
				t.Fatalf("size %d at %d of %x", i.Size, off/2, code)
			}
			i.Writes()
			i.Flow()
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	code, _ := hex.DecodeString("554889e54157415641554154534881ec38120000488b05112233440fb6c085c0750a4c8d442410e800000000")
	var i Inst
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for off := uint32(0); int(off) < len(code); off += i.Size {
			i.Decode(code, off)
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instruction")
}
