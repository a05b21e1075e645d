package macho

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// buildGo builds a stripped Go program for macOS.
func buildGo(t *testing.T, goarch string) []byte { return buildGoWith(t, goarch, "-s -w") }

func buildGoWith(t *testing.T, goarch, ldflags string) []byte {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(1) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-ldflags="+ldflags, "-o", program, source)
	cmd.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+goarch, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGoInMemory wants of a Go program in memory, as dyld has left it, with its file
// and without, what its file says.
func TestGoInMemory(t *testing.T) {
	for goarch, arch := range map[string]task.Arch{"amd64": task.AMD64, "arm64": task.ARM64} {
		t.Run(goarch, func(t *testing.T) {
			program := buildGo(t, goarch)
			file := newTestFile(t, program, Want{Arch: arch})
			m := &machotest.Memory{}
			slide := m.Map(t, program, load)
			rebase(t, m, file, slide)
			for _, open := range []func(Want) (*File, error){nil, func(want Want) (*File, error) {
				return newTestFile(t, program, want), nil
			}} {
				image, err := FromMemory(m, load, open)
				if err != nil {
					t.Fatal(err)
				}
				wantSameSource(t, image, file)
			}
		})
	}
}

func newTestFile(t *testing.T, b []byte, want Want) *File {
	t.Helper()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), want)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rebase adds the slide to the pointers of Go's moduledata.
func rebase(t *testing.T, m *machotest.Memory, f *File, slide uint64) {
	t.Helper()
	s, err := f.SectionData("", "__go_module")
	if err != nil {
		needs.Skip(t, "a Go with a section for its moduledata", err.Error())
	}
	text, _ := f.TextVMAddr()
	for at := 0; at+8 <= len(s.Data); at += 8 {
		if p := binary.LittleEndian.Uint64(s.Data[at:]); p >= text && p < text+1<<30 {
			m.Put(task.Addr(s.VMAddr+slide)+task.Addr(at), 8, p+slide)
		}
	}
}

func wantSameSource(t *testing.T, image, file *File) {
	t.Helper()
	text, err := file.SectionData("__TEXT", "__text")
	if err != nil {
		t.Fatal(err)
	}
	named, inlined := 0, 0
	for at := text.VMAddr; at < text.VMAddr+uint64(len(text.Data)); at += 101 {
		got, want := image.Source(at), file.Source(at)
		if !slices.Equal(got, want) {
			t.Fatalf("%#x: %+v, want %+v", at, got, want)
		}
		named += min(1, len(got))
		inlined += max(0, len(got)-1)
	}
	if named < 1000 || inlined < 100 {
		t.Errorf("%d named, with %d inlined calls", named, inlined)
	}
}

// TestCompressedSource wants of a program whose debugging information Go's linker has
// compressed what the same tells where it has not.
func TestCompressedSource(t *testing.T) {
	packed := newTestFile(t, buildGoWith(t, "amd64", ""), Want{Arch: task.AMD64})
	plain := newTestFile(t, buildGoWith(t, "amd64", "-compressdwarf=false"), Want{Arch: task.AMD64})
	if s := packed.debugSection("info"); s == nil || !strings.HasPrefix(s.Name, zdebug) {
		needs.Skip(t, "a Go that compresses for macOS", "")
	}
	if !packed.HasSource() || !packed.Sourced() {
		t.Error("compressed debugging information counts as none")
	}
	code, err := plain.SectionData("__TEXT", "__text")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for off := 0; off < len(code.Data); off += 97 {
		at := code.VMAddr + uint64(off)
		got, want := packed.source().Frames(at), plain.source().Frames(at)
		if !slices.Equal(got, want) {
			t.Fatalf("%#x: %+v, want %+v", at, got, want)
		}
		if len(want) > 0 && want[0].Line > 0 {
			named++
		}
	}
	if named < 1000 {
		t.Errorf("%d places have a line", named)
	}
	for _, damage := range []func(s *Section){
		func(s *Section) { s.Size = 11 },
		func(s *Section) { s.Offset++ },
	} {
		f := newTestFile(t, buildGoWith(t, "amd64", ""), Want{Arch: task.AMD64})
		damage(f.debugSection("info"))
		if got := f.source().Frames(code.VMAddr); got != nil {
			t.Errorf("%+v from a damaged section", got)
		}
	}
}
