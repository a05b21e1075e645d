package macho

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
)

// These tests compare with LLVM's tools: on the fixtures, and on every file of
// the folder that STACKSNAP_MACHO_DIR names (any Mach-O files; those of npm
// packages such as @swc/core-darwin-arm64 were used).

// oracleFiles returns the files to compare on.
func oracleFiles(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.*64")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	if dir := os.Getenv("STACKSNAP_MACHO_DIR"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	} else {
		t.Log("STACKSNAP_MACHO_DIR is not set: comparing on the fixtures only")
	}
	return files
}

// llvm runs a tool of LLVM, of version 22 where that is installed.
func llvm(t *testing.T, stdin, tool string, args ...string) string {
	t.Helper()
	path := needs.LLVM(t, tool, 1)
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	return string(out)
}

func openOracle(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, Want{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// archFlag chooses the slice that Want{} does.
func archFlag(f *File) string { return "--arch=" + f.Variant() }

func TestAgreesWithNM(t *testing.T) {
	for _, path := range oracleFiles(t) {
		f := openOracle(t, path)
		names := map[uint64]map[string]bool{}
		for line := range strings.Lines(llvm(t, "", "llvm-nm", "-p", "--defined-only", archFlag(f), path)) {
			fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
			if len(fields) < 3 || !strings.ContainsAny(fields[1], "tTwWsS") {
				continue
			}
			at, err := strconv.ParseUint(fields[0], 16, 64)
			if err != nil {
				t.Fatalf("%s: %q", path, line)
			}
			if s, ok := f.SectionAt(at); !ok || !s.Code() || strings.HasPrefix(fields[2], "__mh_") {
				continue
			}
			if names[at] == nil {
				names[at] = map[string]bool{}
			}
			names[at][strings.TrimPrefix(fields[2], "_")] = true
		}
		wrong := 0
		for at, want := range names {
			sym, ok := f.Symbol(at)
			if !ok || sym.VMAddr != at || !want[sym.Name] {
				if wrong++; wrong < 5 {
					t.Errorf("%s: %#x: got %+v, %v; want one of %v", path, at, sym, ok, want)
				}
			}
		}
		t.Logf("%s (%s): %d places with symbols, %d wrong", filepath.Base(path), f.Variant(), len(names), wrong)
	}
}

// samples returns addresses all over the code: the starts of functions, and
// random ones.
func samples(f *File) []uint64 {
	var at []uint64
	random := rand.New(rand.NewSource(1))
	for i, start := range f.starts() {
		if i%max(1, len(f.starts())/2000) == 0 {
			at = append(at, start, start+4)
		}
	}
	for i := range f.Sections() {
		s := &f.Sections()[i]
		if !s.Code() || s.Stubs() || s.Size == 0 {
			continue
		}
		for range 1000 {
			at = append(at, s.VMAddr+uint64(random.Int63n(int64(s.Size)))&^3)
		}
	}
	return at
}

// TestAgreesWithSymbolizer allows two differences: no name from us where
// LC_FUNCTION_STARTS says that the symbol belongs to another function, and
// another name of the same place.
func TestAgreesWithSymbolizer(t *testing.T) {
	for _, path := range oracleFiles(t) {
		f := openOracle(t, path)
		var ask strings.Builder
		all := samples(f)
		for _, at := range all {
			fmt.Fprintf(&ask, "%#x\n", at)
		}
		out := llvm(t, ask.String(), "llvm-symbolizer", "--obj="+path, "--default-arch="+f.Variant(),
			"--functions=linkage", "--no-inlines", "--no-demangle", "--output-style=LLVM")
		answers := strings.Split(strings.TrimSpace(out), "\n\n")
		if len(answers) != len(all) {
			t.Fatalf("%s: %d answers to %d questions", path, len(answers), len(all))
		}
		var same, alias, unnamed, none, more, wrong int
		for i, at := range all {
			want, _, _ := strings.Cut(answers[i], "\n")
			sym, ok := f.Symbol(at)
			start, known := f.FunctionStart(at)
			switch {
			case sym.Name == want:
				same++
			case !ok && (want == "??" || want == "_mh_execute_header" || want == "_mh_dylib_header"):
				none++
			case ok && f.hasName(sym.VMAddr, want):
				alias++
			case ok && (want == "??" || !f.hasName(sym.VMAddr, want)) && withoutSymbol.MatchString(sym.Name) && !f.hasName(sym.VMAddr, sym.Name):
				more++ // the tests of these names are others
			case !ok && known && !f.hasName(start, want):
				unnamed++
			default:
				if wrong++; wrong < 5 {
					t.Errorf("%s: %#x: got %+v, %v; want %s", path, at, sym, ok, want)
				}
			}
		}
		t.Logf("%s: %d the same, %d another name of the place, %d without a name where the symbol is another function's, %d without for both, %d named by more than symbols, %d wrong",
			filepath.Base(path), same, alias, unnamed, none, more, wrong)
	}
}

// withoutSymbol are the names that are not from a symbol table.
var withoutSymbol = regexp.MustCompile(`^([-+]\[\S+ \S+\]$|objc_msgSend\$|stub helper for )`)

// hasName reports whether a symbol of that name stands at vmaddr.
func (f *File) hasName(vmaddr uint64, name string) bool {
	t := f.symtab()
	if t == nil {
		return false
	}
	has := false
	f.eachSymbol(func(_ uint32, n *nlist) bool {
		if n.defined() && n.value == vmaddr {
			s, ok := t.names.at(n.strx)
			has = ok && strings.TrimPrefix(s, "_") == name
		}
		return !has
	})
	return has
}

func TestAgreesOnFunctionStarts(t *testing.T) {
	for _, path := range oracleFiles(t) {
		f := openOracle(t, path)
		if f.functionStarts.size == 0 {
			continue // zig writes an empty one, which llvm-objdump reads past
		}
		var want []uint64
		for line := range strings.Lines(llvm(t, "", "llvm-objdump", "--macho", "--function-starts=addrs", archFlag(f), path)) {
			if at, err := strconv.ParseUint(strings.TrimSpace(line), 16, 64); err == nil {
				want = append(want, at)
			}
		}
		got := f.starts()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d function starts, want %d", path, len(got), len(want))
		}
		t.Logf("%s: %d function starts", filepath.Base(path), len(got))
	}
}

func TestAgreesOnStubs(t *testing.T) {
	for _, path := range append(oracleFiles(t), objcFixtures(t)...) {
		f := openOracle(t, path)
		inStubs, n := false, 0
		for line := range strings.Lines(llvm(t, "", "llvm-objdump", "--macho", "--indirect-symbols", archFlag(f), path)) {
			if strings.HasPrefix(line, "Indirect") {
				inStubs = strings.Contains(line, "stubs)")
				continue
			}
			fields := strings.Fields(line)
			if !inStubs || len(fields) != 3 || fields[0] == "address" {
				continue
			}
			at, _ := strconv.ParseUint(fields[0], 0, 64)
			sym, ok := f.Symbol(at + 2)
			if n++; !ok || sym.VMAddr != at || sym.Name != "DYLD-STUB$$"+strings.TrimPrefix(fields[2], "_") {
				t.Errorf("%s: %#x: got %+v, %v; want %s", path, at, sym, ok, fields[2])
			}
		}
		t.Logf("%s: %d stubs", filepath.Base(path), n)
	}
}

// TestAgreesOnHeaders compares UUID, sections, and the bytes of the sections
// that unwinding needs.
func TestAgreesOnHeaders(t *testing.T) {
	for _, path := range oracleFiles(t) {
		f := openOracle(t, path)
		out := llvm(t, "", "llvm-objdump", "--macho", "--private-headers", archFlag(f), path)
		if got := uuidString(f.ID()); got != field(out, "    uuid ") {
			t.Errorf("%s: UUID %q, want %q", path, got, field(out, "    uuid "))
		}
		if got, want := len(f.Sections()), strings.Count(out, "Section\n"); got != want {
			t.Errorf("%s: %d sections, want %d", path, got, want)
		}
		if f.Arch() == task.UnknownArch {
			t.Errorf("%s: unknown architecture", path)
		}
		for _, s := range f.Sections() {
			if s.Name == "__eh_frame" || s.Name == "__unwind_info" {
				compareSection(t, f, path, s)
			}
		}
	}
}

func compareSection(t *testing.T, f *File, path string, s Section) {
	data, err := f.SectionData(s.Segment, s.Name)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	code := make([]byte, s.Size)
	if n, err := f.ReadCode(code, s.VMAddr); n != len(code) || !bytes.Equal(code, data.Data) {
		t.Errorf("%s: %s differs by vmaddr (%d bytes, %v)", path, s.Name, n, err)
	}
	// Of a fat file all slices are printed, ours first.
	out := llvm(t, "", "llvm-objdump", "-s", "--section="+s.Segment+","+s.Name, path)
	var want strings.Builder
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(line) > 42 && line[0] == ' ' && len(fields) > 1 {
			_, columns, _ := strings.Cut(line[1:], " ")
			want.WriteString(strings.ReplaceAll(columns[:35], " ", ""))
		}
	}
	if got := hex.EncodeToString(data.Data); want.Len() > 0 && !strings.HasPrefix(want.String(), got[:min(len(got), want.Len())]) {
		t.Errorf("%s: %s is not as llvm-objdump -s prints it", path, s.Name)
	}
}

func uuidString(b []byte) string {
	if len(b) != 16 {
		return ""
	}
	s := strings.ToUpper(hex.EncodeToString(b))
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// field returns what follows the first mark on its line.
func field(out, mark string) string {
	_, rest, _ := strings.Cut(out, mark)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
