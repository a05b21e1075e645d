package images

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/internal/cachetest"
	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/task"
)

// TestPlaceOfTheCache: dyld's list says where a shared cache is mapped, and else where
// most of the images have it, one of which may have been loaded from elsewhere.
func TestPlaceOfTheCache(t *testing.T) {
	dir := t.TempDir()
	var list []cachetest.Image
	var ids [][]byte
	for i, name := range []string{"lib.aarch64", "objc/chained.arm64.dylib", "objc/classic.arm64.dylib"} {
		b, err := os.ReadFile("macho/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := macho.NewFile(bytes.NewReader(b), int64(len(b)), macho.Want{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, f.ID())
		list = append(list, cachetest.Image{File: b, VMAddr: cachetest.Start + uint64(i+1)*0x4_0000, Path: name})
	}
	cachetest.Make(t, dir, cachetest.Layouts["26"], list)
	if err := os.WriteFile(dir+"/own", list[0].File, 0o600); err != nil { // that another may have, too
		t.Fatal(err)
	}
	index, err := binaries.NewIndex(binaries.Places{Directories: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	const at, one, other = 0x7000_0000, 0x2000_0000, 0x3000_0000
	infos := make([]byte, 0x144)
	binary.LittleEndian.PutUint32(infos, 17)
	copy(infos[0xa0:], cachetest.UUID[:])
	binary.LittleEndian.PutUint64(infos[0xb0:], cachetest.Start+0x5000_0000)
	unknown := bytes.Clone(infos)
	unknown[0xa0]++
	for name, c := range map[string]struct {
		slides []uint64 // of the images that are noted; 0: its note does not tell
		infos  []byte
		want   []uint64
		files  int
	}{
		"nothing":           {nil, nil, nil, 0},
		"one":               {[]uint64{one}, nil, []uint64{one}, 0},
		"most":              {[]uint64{other, one, other}, nil, []uint64{other}, 0},
		"most, last":        {[]uint64{one, other, other}, nil, []uint64{other}, 1},
		"as many":           {[]uint64{other, one}, nil, []uint64{one}, 1},
		"no place":          {[]uint64{0}, nil, nil, 0},
		"listed":            {[]uint64{one, one, one}, infos, []uint64{0x5000_0000}, 1},
		"listed, not noted": {nil, infos, []uint64{0x5000_0000}, 0},
		"another's":         {[]uint64{one}, unknown, []uint64{one}, 0},
	} {
		p := &machotest.Process{M: &machotest.Memory{}}
		p.I = task.Info{OS: task.Darwin, Arch: task.ARM64}
		if c.infos != nil {
			p.I.LoaderInfo = at
			p.M.Add(at, c.infos)
		}
		for i, slide := range c.slides {
			im := task.SavedImage{ID: ids[i]}
			if slide != 0 {
				im.Load = task.Addr(list[i].VMAddr + slide)
			}
			p.I.SavedImages = append(p.I.SavedImages, im)
		}
		m := backing(p, index)
		var got []uint64
		for _, placed := range m.caches {
			got = append(got, placed.slide)
		}
		if !slices.Equal(got, c.want) || len(m.files) != c.files {
			t.Errorf("%s: at %#x, want %#x; %d files, want %d", name, got, c.want, len(m.files), c.files)
		}
		for _, slide := range c.want {
			b := make([]byte, 4)
			if n, err := m.ReadMemory(b, task.Addr(list[1].VMAddr+slide)); n != 4 || err != nil || binary.LittleEndian.Uint32(b) != 0xfeedfacf {
				t.Errorf("%s: read %x, %v", name, b[:n], err)
			}
			if n, err := m.ReadMemory(b, task.Addr(cachetest.Start+slide-2)); n != 0 || err == nil {
				t.Errorf("%s: %d bytes before the cache, %v", name, n, err)
			}
		}
	}
}
