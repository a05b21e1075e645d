package dwarf

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images/object"
)

// llvmFrame is a frame as llvm-symbolizer tells it.
type llvmFrame struct {
	FunctionName, FileName string
	Line, Column           int
}

// symbolizer returns the newest llvm-symbolizer there is.
func symbolizer(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/lib/llvm-22/bin/llvm-symbolizer", "llvm-symbolizer"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("llvm-symbolizer is not installed")
	return ""
}

// llvmFrames asks llvm-symbolizer for addresses of a file.
func llvmFrames(t *testing.T, tool, file string, addrs []uint64) [][]llvmFrame {
	t.Helper()
	var in bytes.Buffer
	for _, a := range addrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	cmd := exec.Command(tool, "--obj="+file, "--no-demangle", "--output-style=JSON")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]llvmFrame
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var answer struct{ Symbol []llvmFrame }
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		all = append(all, answer.Symbol)
	}
	if len(all) != len(addrs) {
		t.Fatalf("%d answers for %d addresses", len(all), len(addrs))
	}
	return all
}

// elfData opens the debugging information of an ELF file.
func elfData(t testing.TB, path string, budget *object.Budget) (*Data, *elf.File) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return New(elfSections(f), budget), f
}

func elfSections(f *elf.File) func(string) Section {
	return func(name string) Section {
		s := f.Section(".debug_" + name)
		switch {
		case s == nil:
			return nil
		case s.Flags&elf.SHF_COMPRESSED == 0:
			return &fileSection{s, int64(s.Size)}
		}
		b, err := s.Data()
		if err != nil {
			return nil
		}
		return Bytes(b)
	}
}

// fileSection is a section that is read from the file.
type fileSection struct {
	io.ReaderAt
	size int64
}

func (s *fileSection) Size() int64 { return s.size }

// text lists addresses of the code, every step bytes.
func text(f *elf.File, step uint64) []uint64 {
	var addrs []uint64
	s := f.Section(".text")
	for a := s.Addr; a < s.Addr+s.Size; a += step {
		addrs = append(addrs, a)
	}
	return addrs
}

// TestLLVM compares with llvm-symbolizer what C and C++ programs of several compilers
// tell, in each version of DWARF: function, file, line, column and inlined calls.
func TestLLVM(t *testing.T) {
	tool := symbolizer(t)
	for _, tools := range []string{"objcopy", "strip"} {
		if _, err := exec.LookPath(tools); err != nil {
			t.Skip(err)
		}
	}
	for _, compiler := range [][2]string{{"gcc", "g++"}, {"clang", "clang++"}} {
		for _, flags := range []string{
			"-gdwarf-2 -O2", "-gdwarf-3 -O1", "-gdwarf-4 -O2 -gz", "-gdwarf-5 -O2", "-gdwarf-5 -O0",
			"-gdwarf-5 -gdwarf64 -O2 -ffunction-sections", "-gdwarf-5 -O2 -flto -gz",
		} {
			t.Run(compiler[0]+" "+flags, func(t *testing.T) {
				t.Parallel()
				compare(t, tool, build(t, compiler, strings.Fields(flags)))
			})
		}
	}
}

// build compiles a program of two files.
func build(t *testing.T, compiler [2]string, flags []string) string {
	t.Helper()
	dir := t.TempDir()
	program, object := filepath.Join(dir, "program"), filepath.Join(dir, "calc.o")
	for _, args := range [][]string{
		{compiler[0], "-c", "testdata/calc.c", "-o", object},
		{compiler[1], "-std=c++17", "testdata/shapes.cc", object, "-o", program},
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Skip(err)
		}
		if out, err := exec.Command(args[0], append(args[1:], flags...)...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v\n%s", args, err, out)
		}
	}
	return program
}

// compare asks for one in three addresses of a program, which is left with its code and
// debugging information only: llvm-symbolizer prefers the names in symbol tables.
func compare(t *testing.T, tool, file string) {
	t.Helper()
	bare := filepath.Join(t.TempDir(), "bare")
	for _, args := range [][]string{
		{"objcopy", "--only-section=.debug*", "--only-section=.text", file, bare},
		{"strip", "-s", "--keep-section=.debug*", bare},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	d, f := elfData(t, bare, nil)
	addrs := text(f, 3)
	inlined, bad := 0, 0
	for i, want := range llvmFrames(t, tool, bare, addrs) {
		got := d.Frames(addrs[i])
		inlined += max(len(got)-1, 0)
		if g, w := tell(got), tellLLVM(want); g != w {
			if bad++; bad <= 3 {
				t.Errorf("%#x:\n got %s\nwant %s", addrs[i], g, w)
			}
		}
	}
	t.Logf("%d addresses, %d inlined calls, %d differ", len(addrs), inlined, bad)
}

func tellLLVM(frames []llvmFrame) string {
	var b strings.Builder
	for _, f := range frames {
		if f == (llvmFrame{}) {
			continue
		}
		if f.Line == 0 {
			f.Column = 0
		}
		fmt.Fprintf(&b, "%s %s:%d:%d; ", f.FunctionName, f.FileName, f.Line, f.Column)
	}
	return b.String()
}
