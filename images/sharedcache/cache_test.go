package sharedcache_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"stacksnap/images/internal/cachetest"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/images/sharedcache"
	"stacksnap/task"
)

// fixtures are libraries that are put into caches.
var fixtures = map[task.Arch][]string{
	task.ARM64: {"lib.aarch64", "objc/chained.arm64.dylib"},
	task.AMD64: {"lib.x86_64", "objc/chained.x86_64.dylib"},
}

// libraries are the fixtures with where a cache is to have them.
func libraries(t testing.TB, arch task.Arch) (list []cachetest.Image) {
	for i, name := range fixtures[arch] {
		b, err := os.ReadFile(filepath.Join("../macho/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, cachetest.Image{File: b, VMAddr: cachetest.Start + uint64(i+2)*0x2_0000, Path: "/usr/lib/" + name})
	}
	return list
}

// TestNames wants of an image in a cache, whatever its layout, the names that its own
// file has, at each address; and where local symbols were taken out, those of the file
// that has them.
func TestNames(t *testing.T) {
	for name, layout := range cachetest.Layouts {
		for arch := range fixtures {
			t.Run(name+" "+arch.String(), func(t *testing.T) {
				images := libraries(t, arch)
				c := open(t, cachetest.Make(t, t.TempDir(), layout, images))
				if c.UUID() != cachetest.UUID || c.Start() != cachetest.Start || len(c.Missing()) != 0 {
					t.Errorf("UUID %x, start %#x, missing %v", c.UUID(), c.Start(), c.Missing())
				}
				if len(c.Images()) != len(images) {
					t.Errorf("%d images", len(c.Images()))
				}
				for _, im := range images {
					compare(t, c, im, layout.Redact)
				}
			})
		}
	}
}

func compare(t *testing.T, c *sharedcache.Cache, im cachetest.Image, redacted bool) {
	t.Helper()
	own, err := macho.NewFile(bytes.NewReader(im.File), int64(len(im.File)), macho.Want{})
	if err != nil {
		t.Fatal(err)
	}
	at, ok := c.Images()[[16]byte(own.ID())]
	if !ok || at.VMAddr != im.VMAddr {
		t.Fatalf("%+v, want %s at %#x", at, im.Path, im.VMAddr)
	}
	bare, cached := image(t, c, at.VMAddr), image(t, c, at.VMAddr)
	nlists, names, ok := c.Locals(at.VMAddr)
	if ok != redacted {
		t.Fatalf("local symbols: %v", ok)
	}
	if ok {
		cached.SetLocals(nlists, names)
	}
	if !bytes.Equal(cached.ID(), own.ID()) || !cached.InSharedCache() {
		t.Error("it is another image")
	}
	here, _ := own.TextVMAddr()
	locals, named := 0, 0
	for _, s := range own.Sections() {
		if s.Name != "__text" {
			continue
		}
		for a := s.VMAddr; a < s.VMAddr+s.Size; a++ {
			want, wantOK := own.Symbol(a)
			want.VMAddr += im.VMAddr - here
			got, gotOK := cached.Symbol(a - here + im.VMAddr)
			if got != want || gotOK != wantOK {
				t.Fatalf("%s, %#x: %+v, %v; want %+v, %v", im.Path, a, got, gotOK, want, wantOK)
			}
			if wantOK {
				named++
			}
			if b, bareOK := bare.Symbol(a - here + im.VMAddr); wantOK && !bareOK {
				locals++
			} else if b != want {
				t.Fatalf("%s, %#x: %+v without local symbols, want %+v", im.Path, a, b, want)
			}
		}
		mine, _ := own.Section(object.UnwindInfo)
		theirs, err := cached.Section(object.UnwindInfo)
		if err != nil || !bytes.Equal(mine.Data, theirs.Data) || theirs.VMAddr != mine.VMAddr-here+im.VMAddr {
			t.Errorf("__unwind_info at %#x: %v", theirs.VMAddr, err)
		}
	}
	if named == 0 || redacted != (locals > 0) {
		t.Errorf("%s: %d bytes have a name, %d one that was taken out", im.Path, named, locals)
	}
}

func image(t *testing.T, c *sharedcache.Cache, vmaddr uint64) *macho.File {
	t.Helper()
	f, err := macho.FromMemory(c, task.Addr(vmaddr), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func open(t *testing.T, path string) *sharedcache.Cache {
	t.Helper()
	c, err := sharedcache.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestMemory reads what nobody writes to, and nothing else.
func TestMemory(t *testing.T) {
	images := libraries(t, task.ARM64)
	dir := t.TempDir()
	path := cachetest.Make(t, dir, cachetest.Layouts["26"], images)
	c := open(t, path)
	last := images[len(images)-1]
	end := last.VMAddr + 0x4000 // of the code; then data comes, a page later
	for range 16 {
		if _, err := c.ReadMemory(make([]byte, 1), task.Addr(end)); err != nil {
			break
		}
		end += 0x4000
	}
	for _, r := range []struct {
		at    uint64
		n     int
		fault uint64
	}{
		{cachetest.Start, 16, 0},
		{cachetest.Start - 1, 0, cachetest.Start - 1},
		{end - 4, 4, end},
		{end, 0, end},
		{end + 0x4000, 0, end + 0x4000}, // data
	} {
		p := make([]byte, 16)
		n, err := c.ReadMemory(p, task.Addr(r.at))
		var fault *task.FaultError
		if n != r.n || (err == nil) != (r.fault == 0) || err != nil && (!errors.As(err, &fault) || uint64(fault.Addr) != r.fault) {
			t.Errorf("%#x: %d bytes, %v", r.at, n, err)
		}
	}
}
