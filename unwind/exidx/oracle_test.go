package exidx

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/elf"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/unwind/rule"
)

// listed is a function as LLVM lists it.
type listed struct {
	start        uint64
	model        string
	instructions []string
}

// readobj lists what LLVM reads in a file.
func readobj(t *testing.T, path string) (all []listed) {
	tool := needs.LLVM(t, "llvm-readobj", 1)
	out, err := exec.Command(tool, "--unwind", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if at, ok := strings.CutPrefix(line, "FunctionAddress: "); ok {
			start, _ := strconv.ParseUint(at, 0, 64)
			all = append(all, listed{start: start})
		} else if model, ok := strings.CutPrefix(line, "Model: "); ok {
			all[len(all)-1].model = model
		} else if _, text, ok := strings.Cut(line, "; "); ok {
			f := &all[len(all)-1]
			f.instructions = append(f.instructions, text)
		}
	}
	return all
}

// libraries are fixtures, and what a cross compiler has brought.
func libraries() []string {
	paths, _ := filepath.Glob("../../images/elf/testdata/*.so")
	more, _ := filepath.Glob("/usr/arm-linux-gnueabihf/lib/lib[cm].so.6")
	return append(paths, more...)
}

// TestAgreesWithReadobj carries out the rule of each function of real libraries, and
// beside it the instructions as LLVM has them in words.
func TestAgreesWithReadobj(t *testing.T) {
	functions, th := 0, frame()
	for _, path := range libraries() {
		im, code := open(t, path)
		if im == nil {
			continue
		}
		var s Source
		for _, f := range readobj(t, path) {
			if f.model == "Generic" {
				continue // it does not list what is behind another personality routine
			}
			functions++
			r, err := s.Rule(rule.Query{Arch: task.ARM, Image: im, PC: task.Addr(f.start), Code: code})
			if f.model == "CantUnwind" {
				if err != ErrCantUnwind {
					t.Errorf("%s %#x: %v, %v", path, f.start, r, err)
				}
				continue
			}
			if want := simulate(t, f.instructions); err != nil || !maps.Equal(carriedOut(t, th, &r), want) {
				t.Errorf("%s %#x: %s, %v; %q leads to %x", path, f.start, r.Format(task.ARM), err, f.instructions, want)
			}
		}
	}
	if functions < 4 {
		t.Errorf("%d functions", functions)
	}
	t.Logf("%d functions", functions)
}

// open reads a library of ARM; nil is of another architecture.
func open(t *testing.T, path string) (*images.Image, task.Memory) {
	whole, err := os.ReadFile(path)
	if err != nil || len(whole) < 20 || binary.LittleEndian.Uint16(whole[18:]) != 40 { // EM_ARM
		return nil, nil
	}
	f, err := elf.NewFile(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	return &images.Image{Placed: object.Placed{Path: path, File: f}}, fileCode{f}
}

// fileCode is a file as memory.
type fileCode struct{ object.CodeReader }

func (c fileCode) ReadMemory(p []byte, a task.Addr) (int, error) {
	if n := c.ReadCode(p, uint64(a)); n < len(p) {
		return n, &task.FaultError{Addr: a + task.Addr(n)}
	}
	return len(p), nil
}

// The frame that all is carried out on: registers and words are as told by where they
// are, the words so that each may be an address in the stack.
const (
	base       = 0x10000
	stackWords = 1 << 16
)

func register(n int) uint64      { return base + 0x8000 + uint64(n)*0x100 }
func word(at uint64) uint64      { return base + at*7%(4*stackWords)&^3 }
func names(list string) []string { return strings.Split(strings.Trim(list, "{}"), ", ") }

var numbers = map[string]int{"fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}

func number(name string) int {
	if n, ok := numbers[name]; ok {
		return n
	}
	n, _ := strconv.Atoi(name[1:])
	return n
}

// simulate carries out instructions in words. The result is what a rule has: r4 to r11,
// sp and pc.
func simulate(t *testing.T, instructions []string) map[int]uint64 {
	regs := map[int]uint64{}
	for n := range 15 {
		regs[n] = register(n)
	}
	popped := false
	for _, text := range instructions {
		var n int64
		verb, rest, _ := strings.Cut(text, " ")
		switch {
		case verb == "finish":
		case verb == "pop" && rest[1] == 'd':
			regs[13] += 8 * uint64(len(names(rest)))
		case verb == "pop":
			at := regs[13]
			regs[13] += 4 * uint64(len(names(rest)))
			for i, name := range names(rest) {
				regs[number(name)] = word(at + 4*uint64(i))
				popped = popped || name == "pc"
			}
		case strings.HasPrefix(rest, "= vsp "):
			n, _ = strconv.ParseInt(strings.ReplaceAll(rest[6:], " ", ""), 0, 64)
			regs[13] += uint64(n)
		case verb == "vsp":
			regs[13] = regs[number(rest[2:])]
		default:
			t.Fatalf("%q is not known", text)
		}
	}
	if !popped {
		regs[15] = regs[14]
	}
	for n := range 4 {
		delete(regs, n)
	}
	delete(regs, 12)
	delete(regs, 14)
	return regs
}

// frame is the thread that all is carried out on.
func frame() *task.Thread {
	b := make([]byte, 0, 4*stackWords)
	for at := uint64(base); at < base+4*stackWords; at += 4 {
		b = binary.LittleEndian.AppendUint32(b, uint32(word(at)))
	}
	th := &task.Thread{Stacks: []task.Stack{{Base: base, Bytes: b}}}
	th.Registers.Arch = task.ARM
	for n := range 15 {
		th.Registers.Set(task.Reg(n), register(n))
	}
	return th
}

// carriedOut is what a rule leads to.
func carriedOut(t *testing.T, th *task.Thread, r *rule.Rule) map[int]uint64 {
	var s rule.State
	s.Reset(th)
	if err := s.Apply(r); err != nil {
		t.Error(err)
	}
	regs := map[int]uint64{}
	for _, n := range []int{4, 5, 6, 7, 8, 9, 10, 11, 13, 15} {
		regs[n], _ = s.Regs.Value(task.Reg(n))
	}
	return regs
}
