package dwarf

import (
	"bufio"
	"bytes"
	"debug/macho"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stacksnap/images/internal/demangle"
	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// dsyms is where debug files made by Apple's tools are, beside the repository.
const dsyms = "../../../shared/dsyms"

// machoData opens the debugging information of a Mach-O file.
func machoData(t *testing.T, name string) *Data {
	t.Helper()
	f, err := macho.Open(name)
	needs.Feature(t, "../shared/dsyms", err, fs.ErrNotExist)
	t.Cleanup(func() { _ = f.Close() })
	return New(func(section string) Section {
		s := f.Section(("__debug_" + section)[:min(len("__debug_"+section), 16)])
		if s == nil {
			return nil
		}
		return &fileSection{s, int64(s.Size)}
	}, nil)
}

// TestOverlappingDSYM names every byte of functions of which two have one name.
func TestOverlappingDSYM(t *testing.T) {
	d := machoData(t, filepath.Join(dsyms, "overlapping_funcs.dSYM/Contents/Resources/DWARF/overlapping_funcs"))
	for _, f := range []struct {
		low, high  uint64
		name, file string
	}{
		{0x100003f50, 0x100003f71, "main", "main.c"},
		{0x100003f80, 0x100003f8b, "shell", "testachio.c"},
		{0x100003f90, 0x100003f96, "unique_i_swear", "testachio.c"},
		{0x100003fa0, 0x100003fab, "spin", "testaroni.c"},
		{0x100003fb0, 0x100003fb6, "unique_i_swear", "testaroni.c"},
	} {
		for a := f.low; a < f.high; a++ {
			got := d.Frames(a)
			if len(got) != 1 || got[0].Function != f.name || path.Base(got[0].File) != f.file || got[0].Low != f.low || got[0].High != f.high {
				t.Fatalf("%#x: %+v, want %+v", a, got, f)
			}
		}
		if got := d.Frames(f.high); got != nil && got[0].Function != "" {
			t.Errorf("%#x, above %s: %+v", f.high, f.name, got)
		}
	}
}

const crashBase = 0x100000000 // the vmaddr that Breakpad's addresses are relative to

// TestCrashDSYM compares with what mozilla's dump_syms tells of a dSYM of Apple's:
// each function, line and inlined call, at the first and last byte of each line.
func TestCrashDSYM(t *testing.T) {
	d := machoData(t, filepath.Join(dsyms, "crash.dSYM/Contents/Resources/DWARF/crash"))
	out, err := exec.Command(needs.Tool(t, "xz"), "-dc", filepath.Join(dsyms, "crash.inlines.sym.xz")).Output()
	if err != nil {
		t.Fatal("xz: ", err)
	}
	asked, inlined, bad := 0, 0, 0
	for _, f := range readBreakpad(out) {
		for _, l := range f.lines {
			for _, a := range []uint64{l.low, l.high - 1} {
				want := f.at(a, l)
				got := breakpadFrames(d.Frames(crashBase+a), want)
				asked, inlined = asked+1, inlined+strings.Count(want, "\n")-1
				if got != want {
					if bad++; bad <= 3 {
						t.Errorf("%#x:\n%swant\n%s", a, got, want)
					}
				}
			}
		}
	}
	t.Logf("%d addresses, %d inlined calls, %d differ", asked, inlined, bad)
	if asked < 8000 || inlined < 1000 {
		t.Error("too few were compared")
	}
}

// breakpadFrames writes frames as dump_syms does, which cleans the paths and leaves
// out what templates return.
func breakpadFrames(frames []object.Source, want string) string {
	var b strings.Builder
	lines := strings.Split(want, "\n")
	for i, f := range frames {
		place := fmt.Sprintf(" %s:%d", path.Clean(f.File), f.Line)
		name := demangle.Filter(f.Function)
		if i < len(lines) && strings.HasSuffix(lines[i], place) && respelled(name, strings.TrimSuffix(lines[i], place)) {
			b.WriteString(lines[i] + "\n")
			continue
		}
		b.WriteString(name + place + "\n")
	}
	return b.String()
}

// respelled tells of a name that is only spelled otherwise: with what the function
// returns, with substitutions counted otherwise, as after enable_if, without the
// commas that dump_syms puts before packs of nothing, or with 2u for (unsigned int)2.
func respelled(name, want string) bool {
	want = strings.NewReplacer(", >", ">", ", &&)", ")").Replace(want)
	want = typedNumber.ReplaceAllString(want, "${2}u$1")
	bare, _, _ := strings.Cut(want, "<")
	return name == want || strings.HasSuffix(name, " "+want) ||
		strings.Contains(name, "enable_if<") && strings.Contains(" "+name, " "+bare+"<")
}

// typedNumber is a template's number as dump_syms writes it.
var typedNumber = regexp.MustCompile(`\(unsigned (?:int|(l)ong)\)(\d+)`)

// breakpad is a function of a symbol file of Breakpad's.
type breakpad struct {
	name    string
	lines   []breakpadLine
	inlines []breakpadInline
}

type breakpadLine struct {
	low, high uint64
	line      int
	file      string
}

type breakpadInline struct {
	depth, line int
	file, name  string
	ranges      [][2]uint64
}

// at tells the frames at an address as breakpadFrames does.
func (f *breakpad) at(a uint64, l breakpadLine) string {
	in := map[int]breakpadInline{}
	for _, i := range f.inlines {
		for _, r := range i.ranges {
			if r[0] <= a && a < r[1] {
				in[i.depth] = i
			}
		}
	}
	var b strings.Builder
	file, line := l.file, l.line
	for depth := len(in) - 1; depth >= 0; depth-- {
		fmt.Fprintf(&b, "%s %s:%d\n", in[depth].name, file, line)
		file, line = in[depth].file, in[depth].line
	}
	fmt.Fprintf(&b, "%s %s:%d\n", f.name, file, line)
	return b.String()
}

// readBreakpad reads the functions of a symbol file.
func readBreakpad(text []byte) []*breakpad {
	files, origins := map[int]string{}, map[int]string{}
	var all []*breakpad
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "FILE", "INLINE_ORIGIN":
			number, name, _ := strings.Cut(rest, " ")
			var n int
			_, _ = fmt.Sscan(number, &n)
			map[string]map[int]string{"FILE": files, "INLINE_ORIGIN": origins}[kind][n] = name
		case "FUNC":
			rest = strings.TrimPrefix(rest, "m ")
			all = append(all, &breakpad{name: strings.SplitN(rest, " ", 4)[3]})
		case "INLINE":
			all[len(all)-1].inlines = append(all[len(all)-1].inlines, readInline(rest, files, origins))
		case "MODULE", "INFO", "PUBLIC", "STACK":
		default:
			var l breakpadLine
			var size uint64
			var file int
			_, _ = fmt.Sscanf(lines.Text(), "%x %x %d %d", &l.low, &size, &l.line, &file)
			l.high, l.file = l.low+size, files[file]
			all[len(all)-1].lines = append(all[len(all)-1].lines, l)
		}
	}
	return all
}

func readInline(text string, files, origins map[int]string) (in breakpadInline) {
	r := strings.NewReader(text)
	var file, origin int
	_, _ = fmt.Fscan(r, &in.depth, &in.line, &file, &origin)
	in.file, in.name = files[file], origins[origin]
	for {
		var low, size uint64
		if n, _ := fmt.Fscanf(r, " %x %x", &low, &size); n < 2 {
			return in
		}
		in.ranges = append(in.ranges, [2]uint64{low, low + size})
	}
}
