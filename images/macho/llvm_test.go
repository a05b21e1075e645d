package macho

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// zig returns the C compiler that builds for Darwin: that of scripts/build-darwin.sh.
func zig(t *testing.T) string {
	t.Helper()
	installed, _ := filepath.Abs("../../build/_zig/node_modules/.bin/zig")
	for _, name := range []string{os.Getenv("ZIG"), "zig", installed} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	needs.Skip(t, "zig", "not installed")
	return ""
}

// compiled is a program of two files, and how it is built.
type compiled struct {
	dir, program string
}

// compile builds the program from object files, one of which is in an archive. The
// dSYM is made, but not beside it.
func compile(t *testing.T, zig, target string, flags ...string) compiled {
	t.Helper()
	c := compiled{dir: t.TempDir()}
	c.program = filepath.Join(c.dir, "program")
	sources, _ := filepath.Abs("../dwarf/testdata")
	flags = append(flags, "-target", target, "-fno-sanitize=all")
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = c.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run(zig, append([]string{"cc", "-c", filepath.Join(sources, "calc.c"), "-o", "calc.o"}, flags...)...)
	run(zig, append([]string{"c++", "-std=c++17", "-c", filepath.Join(sources, "words.cc"), "-o", "words.o"}, flags...)...)
	llvm(t, "", "llvm-ar", "--format=darwin", "rcsU", filepath.Join(c.dir, "lib.a"), filepath.Join(c.dir, "calc.o"))
	run(zig, "c++", "-target", target, "words.o", "lib.a", "-o", c.program)
	llvm(t, "", "dsymutil", "-o", filepath.Join(c.dir, "made.dSYM"), c.program)
	return c
}

func (c *compiled) dsym() string {
	return filepath.Join(c.dir, "made.dSYM/Contents/Resources/DWARF/program")
}

// symbolized is what llvm-symbolizer tells of addresses of a file.
func symbolized(t *testing.T, file string, addrs []uint64) []string {
	t.Helper()
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	var all []string
	for line := range strings.Lines(llvm(t, in.String(), "llvm-symbolizer", "--obj="+file, "--no-demangle", "--output-style=JSON")) {
		var answer struct {
			Symbol []struct {
				FunctionName, FileName string
				Line, Column           int
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		var frames []object.Source
		for _, f := range answer.Symbol {
			frames = append(frames, object.Source{Function: f.FunctionName, File: f.FileName, Line: f.Line, Column: f.Column})
		}
		all = append(all, told(frames))
	}
	if len(all) != len(addrs) {
		t.Fatalf("%d answers for %d addresses", len(all), len(addrs))
	}
	return all
}

// TestSourceAsLLVM compares what dSYMs and debug maps of programs built for Darwin tell
// of their code with what llvm-symbolizer tells of the dSYM.
func TestSourceAsLLVM(t *testing.T) {
	zig := zig(t)
	asked := 0
	for _, arch := range []string{"x86_64", "aarch64"} {
		for _, flags := range []string{"-gdwarf-4 -O2", "-gdwarf-5 -O2", "-gdwarf-4 -O0", "-gdwarf-5 -Os"} {
			t.Run(arch+" "+flags, func(t *testing.T) {
				c := compile(t, zig, arch+"-macos", strings.Fields(flags)...)
				asked += compareSource(t, &c)
			})
		}
	}
	if t.Logf("%d addresses", asked); asked > 0 && asked < 20_000 {
		t.Error("too few were compared")
	}
}

func compareSource(t *testing.T, c *compiled) int {
	addrs := codeOfObjects(t, c.program)
	want := symbolized(t, c.dsym(), addrs)
	mapped := openMapped(t, c.program)
	beside := openMapped(t, c.program)
	beside.SeekDSYM(filepath.Join(c.dir, "elsewhere", "program"))
	if err := os.MkdirAll(filepath.Join(c.dir, "elsewhere"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../made.dSYM", filepath.Join(c.dir, "elsewhere/program.dSYM")); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*File{"debug map": mapped, "dSYM": beside} {
		bad, inlined, between := 0, 0, 0
		for i, a := range addrs {
			got := f.Source(a)
			inlined += max(0, len(got)-1)
			told := told(got)
			if isBetween(got, want[i]) {
				between++
			} else if told != want[i] {
				if bad++; bad <= 5 {
					t.Errorf("%s: %#x:\n got %s\nwant %s", name, a, told, want[i])
				}
			}
		}
		t.Logf("%s: %d addresses, %d of them between functions, %d inlined calls, %d differ; %s", name, len(addrs), between, inlined, bad, f.SourceNote())
	}
	return 2 * len(addrs)
}

// isBetween tells of an address that fills up the space between functions, of which
// llvm-symbolizer tells the symbol below it, and an object file the line of that.
func isBetween(got []object.Source, want string) bool {
	return (len(got) == 0 || len(got) == 1 && got[0].Function == "") && strings.HasSuffix(want, " :0:0") && !strings.Contains(want, " < ")
}

// codeOfObjects lists the addresses of functions that came from the object files.
func codeOfObjects(t *testing.T, program string) (addrs []uint64) {
	f := openMapped(t, program)
	m := f.debugMap()
	if m == nil {
		t.Fatal("there is no debug map")
	}
	step := uint64(19)
	if f.cpu == cpuARM64 {
		step = 16
	}
	for _, i := range m.byAddress {
		fn := &m.functions[i] // zig's linker tells of others, too, where there are none
		for a := fn.low; a < fn.high; a += step {
			addrs = append(addrs, a)
		}
	}
	slices.Sort(addrs)
	return slices.Compact(addrs)
}
