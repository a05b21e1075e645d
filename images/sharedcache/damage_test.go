package sharedcache_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/internal/cachetest"
	"stacksnap/images/macho"
	"stacksnap/images/sharedcache"
	"stacksnap/task"
	"stacksnap/task/damage"
)

// exercise opens a cache and asks all that can be asked.
func exercise(t *testing.T, path string) {
	c, err := sharedcache.Open(path)
	if err != nil {
		return
	}
	images := slices.SortedFunc(maps.Values(c.Images()), func(a, b sharedcache.Image) int { // always in one order, for the fuzzer
		return bytes.Compare(a.UUID[:], b.UUID[:])
	})
	for _, im := range images {
		f, err := macho.FromMemory(c, task.Addr(im.VMAddr), nil)
		if err != nil {
			continue
		}
		if nlists, names, ok := c.Locals(im.VMAddr); ok {
			f.SetLocals(nlists, names)
		}
		for a := im.VMAddr; a < im.VMAddr+0x2000; a += 0x40 {
			f.Symbol(a)
		}
		_ = f.Close() // it was only read
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestMutants opens caches that were good before without a panic: 180 in every test run,
// and 2,000 in scripts/hostile, which measures the memory.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	mutants := 180
	if os.Getenv("STACKSNAP_LONG") != "" {
		mutants = 2000
	}
	for name, layout := range cachetest.Layouts {
		dir := t.TempDir()
		path := cachetest.Make(t, dir, layout, libraries(t, task.ARM64))
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for range mutants / len(cachetest.Layouts) {
			victim := files[r.IntN(len(files))]
			good, err := os.ReadFile(victim)
			if err != nil {
				t.Fatal(name, err)
			}
			bad := append(damage.Copy(r, good[:0x800]), good[0x800:]...)
			if r.IntN(2) == 0 && len(good) > 0x8000 { // the local symbols are at the end
				at := len(good) - 0x800
				bad = append(good[:at:at], damage.Copy(r, good[at:])...)
			}
			write(t, victim, bad)
			exercise(t, path)
			write(t, victim, good)
		}
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// FuzzOpen opens a file as the main one.
func FuzzOpen(f *testing.F) {
	for _, layout := range cachetest.Layouts {
		b, err := os.ReadFile(cachetest.Make(f, f.TempDir(), layout, libraries(f, task.ARM64)[:1]))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:0x600])
	}
	path := filepath.Join(f.TempDir(), "cache")
	f.Fuzz(func(t *testing.T, b []byte) {
		write(t, path, b)
		exercise(t, path)
	})
}

// TestRefused names what is wrong with a file, and opens what it can of a cache of
// which parts are missing, or are another's.
func TestRefused(t *testing.T) {
	le := binary.LittleEndian
	for name, c := range map[string]struct {
		change func(b []byte) []byte
		words  string
	}{
		"not a cache":     {func(b []byte) []byte { return []byte("dyld_v0  i386") }, "not a shared cache"},
		"empty":           {func(b []byte) []byte { return nil }, "not a shared cache"},
		"cut":             {func(b []byte) []byte { return b[:0x220-1] }, "not in the file"},
		"cut in the head": {func(b []byte) []byte { return b[:0x1ff] }, "ends within its header"},
		"old":             {func(b []byte) []byte { le.PutUint32(b[0x10:], 0xe7); return b }, "ends within its header"},
		"many mappings":   {func(b []byte) []byte { le.PutUint32(b[0x14:], 65); return b }, "too large"},
		"many images":     {func(b []byte) []byte { le.PutUint64(b[0x90:], 1<<14+1); return b }, "too large"},
		"vast images":     {func(b []byte) []byte { le.PutUint64(b[0x90:], 1<<59); return b }, "too large"},
		"many subcaches":  {func(b []byte) []byte { le.PutUint32(b[0x18c:], 257); return b }, "too large"},
		"far":             {func(b []byte) []byte { le.PutUint64(b[0x88:], 1<<63); return b }, "not in the file"},
		"elsewhere": {func(b []byte) []byte {
			copy(b[le.Uint32(b[0x188:])+24:], "./../../etc\x00")
			return b
		}, "is named"},
		"no dot": {func(b []byte) []byte { b[le.Uint32(b[0x188:])+24] = 'x'; return b }, "is named"},
	} {
		path := cachetest.Make(t, t.TempDir(), cachetest.Layouts["26"], libraries(t, task.AMD64))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, c.change(b))
		_, err = sharedcache.Open(path)
		if err == nil || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if is := strings.Contains(c.words, "not a shared"); errors.Is(err, sharedcache.ErrNotCache) != is {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMissing opens a cache of which files are missing, or of another cache.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	images := libraries(t, task.ARM64)
	path := cachetest.Make(t, dir, cachetest.Layouts["iOS 26"], images)
	if err := os.Remove(path + ".26.dyldlinkedit"); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "dyld_shared_cache_arm64e.symbols")
	b, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	b[0x58]++
	write(t, other, b)
	c := open(t, path)
	missing := errors.Join(c.Missing()...).Error()
	for _, words := range []string{path + ".26.dyldlinkedit: no such file", "it is of another shared cache"} {
		if !strings.Contains(missing, words) {
			t.Errorf("%q does not say %q", missing, words)
		}
	}
	if _, _, ok := c.Locals(images[0].VMAddr); ok {
		t.Error("local symbols of another cache")
	}
	if f := image(t, c, images[0].VMAddr); f.HasSymbols() {
		t.Error("symbols without __LINKEDIT")
	}
}
