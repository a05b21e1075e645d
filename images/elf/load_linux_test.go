package elf

import (
	"bytes"
	"debug/elf"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/task/needs"
)

func TestLoadSelf(t *testing.T) {
	self := openLive(t, os.Getpid())
	placed, errs := LiveLoader(os.Getpid()).Load(self)
	for _, err := range errs {
		t.Error(err)
	}
	main := placed[0]
	if main.Path != self.info.Path || !main.Main || main.Note != "" || main.File.Arch() == task.UnknownArch {
		t.Errorf("the program is %+v", main)
	}
	if _, err := main.File.Section(object.GoPCLnTab); err != nil {
		t.Errorf("gopclntab: %v", err)
	}
	if main.File.ID() != nil {
		t.Errorf("a Go program has the build-id %x", main.File.ID())
	}
}

func TestLoadEachKindOfProgram(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags []string
	}{
		{"pie", append([]string{"-fPIE", "-pie"}, dynamicFlags...)},
		{"non-pie", append([]string{"-fno-pie", "-no-pie"}, dynamicFlags...)},
		{"static", []string{"-static"}},
		{"static-pie", []string{"-static-pie"}},
		{"32-bit", append([]string{"-m32"}, dynamicFlags...)},
		{"one segment for all", append([]string{"-Wl,-z,noseparate-code"}, dynamicFlags...)},
		{"executable data", append([]string{"-Wl,-z,execstack"}, dynamicFlags...)},
		{"large alignment", append([]string{"-Wl,-z,max-page-size=0x200000"}, dynamicFlags...)},
		{"no build-id", append([]string{"-Wl,--build-id=none"}, dynamicFlags...)},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := buildTarget(t, filepath.Join(t.TempDir(), "target"), test.flags...)
			p := start(t, exec.Command(path))
			placed := p.load(t, p.loader())
			at := p.facts["main"][0]
			im := imageAt(t, placed, at)
			wantFunction(t, im, at, "marker")
			if im.Path != path || !im.Main || im.Note != "" {
				t.Errorf("the program is %+v", im)
			}
			wantHeaderAt(t, p, im.Load)
			if libc := p.facts["libc"]; libc != nil {
				im := imageAt(t, placed, libc[0])
				wantHeaderAt(t, p, im.Load)
				if s, _ := im.File.Symbol(im.VMAddr(libc[0])); !strings.HasSuffix(s.Name, "getpid") {
					t.Errorf("getpid is %+v", s)
				}
			}
			wantOnce(t, placed)
		})
	}
}

func wantHeaderAt(t *testing.T, p *target, a task.Addr) {
	t.Helper()
	var b [4]byte
	if err := task.ReadFull(p, b[:], a); err != nil || string(b[:]) != elf.ELFMAG {
		t.Errorf("at load address %v: %q, %v", a, b, err)
	}
}

func wantOnce(t *testing.T, placed []object.Placed) {
	t.Helper()
	count := make(map[string]int)
	for _, im := range placed {
		if count[im.Path]++; count[im.Path] > 1 {
			t.Errorf("%s is there again at %v", im.Path, im.Load)
		}
	}
}

func TestLoadStripped(t *testing.T) {
	path := buildTarget(t, filepath.Join(t.TempDir(), "target"), "-s", "-static")
	p := start(t, exec.Command(path))
	im := imageAt(t, p.load(t, p.loader()), p.facts["main"][0])
	if s, ok := im.File.Symbol(im.VMAddr(p.facts["main"][0])); ok || im.File.HasSymbols() {
		t.Errorf("got %+v, symbols %v", s, im.File.HasSymbols())
	}
}

func TestDebugFile(t *testing.T) {
	objcopy := tool(t, "objcopy")
	dir := t.TempDir()
	path := buildTarget(t, filepath.Join(dir, "target"), "-static", "-Wl,--build-id=none")
	run(t, objcopy, "--only-keep-debug", path, path+".debug")
	run(t, objcopy, "--strip-all", "--add-gnu-debuglink="+path+".debug", path)
	p := start(t, exec.Command(path))
	im := imageAt(t, p.load(t, p.loader()), p.facts["main"][0])
	wantFunction(t, im, p.facts["main"][0], "marker")

	t.Run("of another program", func(t *testing.T) {
		b, err := os.ReadFile(path + ".debug")
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-1]++
		if err := os.WriteFile(path+".debug", b, 0o644); err != nil {
			t.Fatal(err)
		}
		im := imageAt(t, p.load(t, p.loader()), p.facts["main"][0])
		if s, ok := im.File.Symbol(im.VMAddr(p.facts["main"][0])); ok {
			t.Errorf("got %+v", s)
		}
	})
}

func TestVDSO(t *testing.T) {
	path := buildTarget(t, filepath.Join(t.TempDir(), "target"))
	p := start(t, exec.Command(path))
	im := imageAt(t, p.load(t, p.loader()), p.facts["vdso"][0])
	if im.Path != vdso || im.Load != p.facts["vdso"][0] {
		t.Fatalf("the vdso is %+v", im)
	}
	// debug/elf, which reads the same bytes, is asked for the names.
	symbols, err := im.File.(*File).elf.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for _, want := range symbols {
		if elf.ST_TYPE(want.Info) == elf.STT_FUNC && elf.ST_BIND(want.Info) == elf.STB_GLOBAL {
			functions++
			wantFunction(t, im, im.Addr(want.Value), want.Name)
		}
	}
	if functions == 0 {
		t.Error("no function in the vdso")
	}
	if runtime.GOARCH == "arm64" {
		return // which has no unwind information (arch/arm64/kernel/vdso/vdso.lds.S)
	}
	if s, err := im.File.Section(object.EHFrame); err != nil || len(s.Data) == 0 {
		t.Errorf("eh_frame: %d bytes, %v", len(s.Data), err)
	}
}

// withoutMapped is what a user without capabilities has.
func withoutMapped(l Loader) Loader {
	l.Mapped = nil
	return l
}

// needMapped skips where map_files cannot be opened.
func needMapped(t *testing.T, p *target) {
	t.Helper()
	l := p.loader()
	for r := range p.Regions() {
		if r.Path != "" && r.Path[0] == '/' {
			c, err := l.through(l.Mapped(r), r)
			if err != nil {
				needs.Feature(t, "CAP_CHECKPOINT_RESTORE", err, fs.ErrPermission)
			}
			c.file.Close()
			return
		}
	}
}

func TestProgramGone(t *testing.T) {
	for _, test := range []struct {
		note string
		gone func(t *testing.T, path string) error
	}{
		{NoteDeleted, func(t *testing.T, path string) error { return os.Remove(path) }},
		{NoteReplaced, func(t *testing.T, path string) error {
			other := buildTarget(t, path+".other", "-Dmarker=other")
			return os.Rename(other, path)
		}},
	} {
		t.Run(test.note, func(t *testing.T) {
			path := buildTarget(t, filepath.Join(t.TempDir(), "target"))
			p := start(t, exec.Command(path))
			if err := test.gone(t, path); err != nil {
				t.Fatal(err)
			}
			im := imageAt(t, p.load(t, withoutMapped(p.loader())), p.facts["main"][0])
			wantFunction(t, im, p.facts["main"][0], "marker")
			if im.Note != test.note || !im.Main || im.Path != path {
				t.Errorf("the program is %+v", im)
			}
		})
	}
}

// gone are the ways in which a library's file goes away under a process.
var gone = []struct {
	name, note string
	do         func(t *testing.T, path string)
}{
	{"deleted", NoteDeleted, func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}},
	{"replaced", NoteReplaced, func(t *testing.T, path string) {
		buildLibrary(t, path+".new", 2)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}},
	{"replaced by a text", NoteReplaced, func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("no library"), 0o644); err != nil {
			t.Fatal(err)
		}
	}},
	{"replaced by the same", "", func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o755); err != nil {
			t.Fatal(err)
		}
	}},
}

func TestLibraryGone(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"), dynamicFlags...)
	for _, test := range gone {
		t.Run(test.name, func(t *testing.T) {
			path := buildLibrary(t, filepath.Join(t.TempDir(), "library.so"), 1)
			whole := openBytes(t, readFile(t, path))
			p := start(t, exec.Command(program, "open", path))
			test.do(t, path)
			at := p.facts["marker"][0]
			t.Run("mapped", func(t *testing.T) {
				needMapped(t, p)
				im := imageAt(t, p.load(t, p.loader()), at)
				wantFunction(t, im, at, "library_marker")
				if im.Note != test.note || im.Path != path || !bytes.Equal(im.File.ID(), whole.ID()) {
					t.Errorf("the library is %+v, id %x; want %x", im, im.File.ID(), whole.ID())
				}
			})
			t.Run("memory", func(t *testing.T) {
				im := imageAt(t, p.load(t, withoutMapped(p.loader())), at)
				note := test.note
				if note != "" {
					note += noteMemory
				}
				wantFunction(t, im, at, "library_marker")
				if im.Note != note || im.Path != path || !bytes.Equal(im.File.ID(), whole.ID()) {
					t.Errorf("the library is %+v, id %x; want %x", im, im.File.ID(), whole.ID())
				}
				wantSameSections(t, im.File.(*File), whole)
			})
		})
	}
}

// TestNoBuildID replaces libraries in which nothing but the code itself tells
// one from the other.
func TestNoBuildID(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"), dynamicFlags...)
	for n, note := range map[int]string{1: "", 3: NoteReplaced + noteMemory} {
		path := buildLibrary(t, filepath.Join(t.TempDir(), "library.so"), 1, "-Wl,--build-id=none")
		p := start(t, exec.Command(program, "open", path))
		buildLibrary(t, path+".new", n, "-Wl,--build-id=none")
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		at := p.facts["marker"][0]
		im := imageAt(t, p.load(t, withoutMapped(p.loader())), at)
		wantFunction(t, im, at, "library_marker")
		if im.Note != note || im.File.ID() != nil {
			t.Errorf("replaced by one of %d: %+v, want note %q", n, im, note)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLibraryTruncated takes the pages away under the mapping: memory and file
// both fail, and the library alone is lost.
func TestLibraryTruncated(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"), dynamicFlags...)
	path := buildLibrary(t, filepath.Join(t.TempDir(), "library.so"), 1)
	p := start(t, exec.Command(program, "open", path))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	placed, errs := LiveLoader(p.Info().PID).Load(p)
	wantFunction(t, imageAt(t, placed, p.facts["main"][0]), p.facts["main"][0], "marker")
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), path) {
		t.Errorf("errors %v", errs)
	}
	for _, im := range placed {
		if im.Path == path && (im.File != nil || im.Err == nil) {
			t.Errorf("the library is %+v", im)
		}
	}
}

func TestLibraryTwice(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"), dynamicFlags...)
	path := buildLibrary(t, filepath.Join(t.TempDir(), "library.so"), 1)
	p := start(t, exec.Command(program, "open", path, path))
	placed := p.load(t, p.loader())
	first, second := p.facts["marker"][0], p.facts["marker"][1]
	a, b := imageAt(t, placed, first), imageAt(t, placed, second)
	if a.Slide == b.Slide || a.Path != path || b.Path != path {
		t.Errorf("%+v and %+v", a, b)
	}
	wantFunction(t, a, first, "library_marker")
	wantFunction(t, b, second, "library_marker")
}

func TestNotAnImage(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"))
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, bytes.Repeat([]byte("text\n"), 4000), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, offset := range []string{"0", "4096"} {
		p := start(t, exec.Command(program, "map", text, offset, "8192"))
		for _, im := range p.load(t, p.loader()) {
			if im.Path == text {
				t.Errorf("offset %s: %+v", offset, im)
			}
		}
	}
}

// TestNoFirstPage maps nothing of a library but its code.
func TestNoFirstPage(t *testing.T) {
	program := buildTarget(t, filepath.Join(t.TempDir(), "target"))
	path := buildLibrary(t, filepath.Join(t.TempDir(), "library.so"), 1, "-Wl,-z,separate-code")
	code, vmaddr := codeSegment(t, path, "library_marker")
	p := start(t, exec.Command(program, "map", path, decimal(code.Offset), decimal(code.FileSize)))
	at := p.facts["map"][0] + task.Addr(vmaddr-code.VMAddr)
	im := imageAt(t, p.load(t, p.loader()), at)
	wantFunction(t, im, at, "library_marker")
	wantWithin(t, im, p.facts["map"][0], code.FileSize)
}

// TestMappedAgainInPart maps the program's own code a second time.
func TestMappedAgainInPart(t *testing.T) {
	path := buildTarget(t, filepath.Join(t.TempDir(), "target"), "-Wl,-z,separate-code")
	code, vmaddr := codeSegment(t, path, "marker")
	p := start(t, exec.Command(path, "map", path, decimal(code.Offset), decimal(code.FileSize)))
	placed := p.load(t, p.loader())
	again := p.facts["map"][0] + task.Addr(vmaddr-code.VMAddr)
	first, second := imageAt(t, placed, p.facts["main"][0]), imageAt(t, placed, again)
	wantFunction(t, first, p.facts["main"][0], "marker")
	wantFunction(t, second, again, "marker")
	if !first.Main || first.Note != "" || second.Main {
		t.Errorf("%+v and %+v", first, second)
	}
	wantWithin(t, second, p.facts["map"][0], code.FileSize)
}

// wantWithin wants an image that is no larger than the mapping of size bytes at
// start.
func wantWithin(t *testing.T, im object.Placed, start task.Addr, size uint64) {
	t.Helper()
	if im.Note != NotePart {
		t.Errorf("note %q", im.Note)
	}
	for _, s := range im.File.Segments() {
		if a := im.Addr(s.VMAddr); a < start || uint64(a-start)+s.Size > size {
			t.Errorf("segment %+v at %v is not within %#x bytes at %v", s, a, size, start)
		}
	}
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

// codeSegment returns the segment of a file that has its code, if it has pages
// of its own, and the vmaddr of a function.
func codeSegment(t *testing.T, path, name string) (code object.Segment, vmaddr uint64) {
	t.Helper()
	f := openBytes(t, readFile(t, path))
	for _, s := range f.Segments() {
		if s.Prot&task.Execute != 0 {
			code = s
		}
	}
	symbols, err := f.elf.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			vmaddr = s.Value
		}
	}
	if code.Offset%uint64(os.Getpagesize()) != 0 || code.Offset == 0 || vmaddr == 0 {
		needs.Skip(t, "a linker that keeps code apart", "")
	}
	return code, vmaddr
}

// insideProcess sees paths as they are seen inside another root, as the kernel
// shows those of a container.
type insideProcess struct {
	*target
	root string
}

func (p insideProcess) Info() task.Info {
	info := p.target.Info()
	info.Path = strings.TrimPrefix(info.Path, p.root)
	return info
}

func (p insideProcess) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		for r, err := range p.target.Regions() {
			r.Path = strings.TrimPrefix(r.Path, p.root)
			if !yield(r, err) {
				return
			}
		}
	}
}

func TestOtherRoot(t *testing.T) {
	root := t.TempDir()
	buildTarget(t, filepath.Join(root, "target"), "-static")
	p := start(t, inRoot(t, root, &exec.Cmd{Path: "/target", Args: []string{"/target"}}))
	for name, process := range map[string]task.Process{"outside": p, "inside": insideProcess{p, root}} {
		t.Run(name, func(t *testing.T) {
			loader := LiveLoader(p.info.PID)
			loader.Mapped, loader.Program = nil, ""
			placed, errs := loader.Load(process)
			if errs != nil {
				t.Error(errs)
			}
			im := imageAt(t, placed, p.facts["main"][0])
			wantFunction(t, im, p.facts["main"][0], "marker")
			if im.Note != "" || !im.Main {
				t.Errorf("the program is %+v", im)
			}
		})
	}
}
