package golang_test

import (
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	ourdwarf "stacksnap/images/dwarf"
	ourelf "stacksnap/images/elf"
	ourmacho "stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// targets are what a program is built for: GOOS, GOARCH and flags of go build. There are
// more with -tags long, as the standard library is built anew for them.
var targets = append([]string{plainTarget, "linux amd64 -ldflags=-s_-w"}, moreTargets...)

const (
	plainTarget = "linux amd64"
	pieTarget   = "linux amd64 -buildmode=pie_-ldflags=-s_-w"
)

// TestPrograms wants of every address in programs of this Go what debug/gosym tells,
// and of those that have it the inlined calls of the debugging information.
func TestPrograms(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			program := build(t, "go", target)
			wantTold(t, program)
			if target == plainTarget {
				wantInlined(t, program, false)
			}
		})
	}
}

// versions are the last of each way to write the table or the inlined calls.
var versions = []string{
	"go1.9.7", "go1.11.13", "go1.12.17", "go1.15.15", "go1.17.13", "go1.19.13", "go1.20.14", "go1.25.0",
}

// TestOldVersions wants the same of programs of older versions of Go, which are
// downloaded.
func TestOldVersions(t *testing.T) {
	needs.Variable(t, "STACKSNAP_LONG", "downloads older versions of Go; 1 runs it")
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			command := goOf(t, version)
			for _, target := range []string{plainTarget, "linux amd64 -ldflags=-s_-w", pieTarget} {
				wantTold(t, build(t, command, target))
			}
			wantInlined(t, build(t, command, plainTarget), true)
		})
	}
}

// goOf returns the go command of a version.
func goOf(t *testing.T, version string) string {
	t.Helper()
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOROOT=", "GOTOOLCHAIN="+version)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("no %s: %v", version, err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "bin", "go")
}

// build builds testdata/inlined.
func build(t *testing.T, command, target string) string {
	t.Helper()
	needs.Tool(t, command)
	words := strings.Fields(target)
	program := filepath.Join(t.TempDir(), "program")
	args := []string{"build", "-o", program}
	if len(words) > 2 {
		for flag := range strings.SplitSeq(strings.ReplaceAll(words[2], "_-l", " -l"), " ") {
			args = append(args, strings.ReplaceAll(flag, "_", " "))
		}
	}
	cmd := exec.Command(command, append(args, "main.go")...)
	cmd.Dir = "testdata/inlined"
	cmd.Env = append(os.Environ(), "GOENV=off", "GOFLAGS=", "GO111MODULE=off", "CGO_ENABLED=0", "GOOS="+words[0], "GOARCH="+words[1])
	if command != "go" {
		cmd.Env = append(cmd.Env, "GOROOT="+filepath.Dir(filepath.Dir(command)))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, out)
	}
	return program
}

// program is a file as the product reads it, and as Go's own packages do.
type program struct {
	object.File
	lines     *gosym.Table
	calls     *ourdwarf.Data
	text, end uint64
}

func open(t *testing.T, path string) program {
	t.Helper()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := r.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := openELF(r, info.Size())
	if errors.Is(err, ourelf.ErrNotELF) {
		p, err = openMachO(r, info.Size())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	s, err := p.Section(object.GoPCLnTab)
	if err != nil {
		t.Fatal(err)
	}
	if p.lines, err = gosym.NewTable(nil, gosym.NewLineTable(s.Data, p.text)); err != nil {
		t.Fatal(err)
	}
	return p
}

func openELF(r *os.File, size int64) (p program, err error) {
	if p.File, err = ourelf.NewFile(r, size); err != nil {
		return p, err
	}
	e, err := elf.NewFile(r)
	if err != nil {
		return p, err
	}
	text := e.Section(".text")
	p.text, p.end = text.Addr, text.Addr+text.Size
	p.calls = ourdwarf.New(func(name string) ourdwarf.Section {
		return bytesOf(e.Section(".debug_"+name), e.Section(".zdebug_"+name))
	}, nil)
	return p, nil
}

func openMachO(r *os.File, size int64) (p program, err error) {
	if p.File, err = ourmacho.NewFile(r, size, ourmacho.Want{}); err != nil {
		return p, err
	}
	m, err := macho.NewFile(r)
	if err != nil {
		return p, err
	}
	text := m.Section("__text")
	p.text, p.end = text.Addr, text.Addr+text.Size
	return p, nil
}

// bytesOf reads the first section that is there.
func bytesOf(sections ...*elf.Section) ourdwarf.Section {
	for _, s := range sections {
		if s != nil {
			if b, err := io.ReadAll(s.Open()); err == nil {
				return ourdwarf.Bytes(b)
			}
		}
	}
	return nil
}

// step is the distance of the addresses that are compared.
const step = 37

// linkersMark is what is named like a function and none.
var linkersMark = regexp.MustCompile(`^go[.:](buildid|text)`)

// wantTold compares with debug/gosym: the function that has the frame, and the place of
// the innermost call, for that is what it tells. It knows no padding.
func wantTold(t *testing.T, path string) {
	t.Helper()
	p := open(t, path)
	compared, inlined, bad := 0, 0, 0
	for pc := p.text; pc < p.end && bad < 4; pc += step {
		file, line, f := p.lines.PCToLine(pc)
		got := object.SourceOf(p.File, pc)
		if f != nil && linkersMark.MatchString(f.Name) {
			continue // it has no lines, and gosym takes other things for them
		}
		if line <= 0 || f == nil {
			if len(got) > 0 && got[0].Function != "" {
				bad++
				t.Errorf("%#x: %+v in padding", pc, got)
			}
			continue
		}
		compared++
		inlined += max(0, len(got)-1)
		if len(got) == 0 || got[0].File != file || got[0].Line != line {
			bad++
			t.Errorf("%#x: %+v, want %s:%d", pc, got, file, line)
		} else if last := got[len(got)-1]; last.Function != f.Name || last.Low != f.Entry || last.High > f.End || pc >= last.High {
			bad++
			t.Errorf("%#x: %+v, want %s at %#x", pc, last, f.Name, f.Entry)
		} else if s, _ := p.Symbol(pc); s.VMAddr != f.Entry || plain(s.Name) != plain(f.Name) {
			bad++
			t.Errorf("%#x: symbol %+v, want %s at %#x", pc, s, f.Name, f.Entry)
		}
	}
	if compared < 1000 || inlined < 100 {
		t.Errorf("%d addresses compared, with %d inlined calls", compared, inlined)
	}
	t.Logf("%d addresses, %d inlined calls", compared, inlined)
}

// brackets are what Go 1.18 to 1.20 leave out of the names in the table.
var brackets = regexp.MustCompile(`\[.*\]`)

// plain is a name without what only tables of symbols have.
func plain(name string) string {
	name = strings.TrimSuffix(strings.ReplaceAll(name, "·", "."), ".abi0")
	return brackets.ReplaceAllString(name, "[...]")
}

// wantInlined compares the chains of inlined calls with those of the debugging
// information, which Go's compiler writes apart from its table. Up to Go 1.17 that left
// out some, of 1.15 one in fifty, and of 1.9 all.
func wantInlined(t *testing.T, path string, old bool) {
	t.Helper()
	p := open(t, path)
	compared, inlined, other := 0, 0, 0
	for pc := p.text; pc < p.end; pc += step {
		got, want := object.SourceOf(p.File, pc), p.calls.Frames(pc)
		if len(got) == 0 || len(want) == 0 || want[0].Line == 0 || old && len(want) == 1 && len(got) > 1 {
			continue
		}
		compared++
		inlined += len(got) - 1
		if !slices.EqualFunc(got, want, same) {
			if other++; other < 4 {
				t.Logf("%#x:\n%+v, the debugging information\n%+v", pc, got, want)
			}
		}
	}
	if compared < 1000 || other*1000 > compared {
		t.Errorf("%d of %d addresses differ", other, compared)
	}
	t.Logf("%d addresses, %d inlined calls, %d differ", compared, inlined, other)
}

func same(a, b object.Source) bool {
	made := strings.HasSuffix(a.File, "<autogenerated>") && strings.HasSuffix(b.File, "<autogenerated>")
	return plain(a.Function) == plain(b.Function) && (a.File == b.File || made) && a.Line == b.Line
}
