package dyld

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"stacksnap/images/macho"
	"stacksnap/task"
)

// inCache maps the fixture of Objective-C with relative lists, stripped, as an image of
// the shared cache at cacheAt, with its lists of methods as the cache has them.
func (x *target) inCache() {
	const cacheAt, selectors = 0x4000_0000, 0x8000
	file, err := os.ReadFile("../macho/testdata/objc/chained.x86_64.dylib")
	if err != nil {
		x.t.Fatal(err)
	}
	le := binary.LittleEndian
	le.PutUint32(file[24:], le.Uint32(file[24:])|0x80000000) // MH_DYLIB_IN_CACHE
	for at, n := 32, le.Uint32(file[16:]); n > 0; n-- {
		if cmd := le.Uint32(file[at:]); cmd == 0x2 || cmd == 0xb { // LC_SYMTAB, LC_DYSYMTAB
			clear(file[at+8:][:le.Uint32(file[at+4:])-8])
		}
		at += int(le.Uint32(file[at+4:]))
	}
	x.M.Map(x.t, file, libAt)
	f, err := macho.Open("../macho/testdata/objc/chained.x86_64.dylib", macho.Want{})
	if err != nil {
		x.t.Fatal(err)
	}
	defer f.Close()
	x.rebase(f, libAt)
	x.direct(f, libAt, cacheAt+selectors)
	header := make([]byte, 0x400)
	le.PutUint32(header[0x10:], 0x230)      // mappingOffset
	le.PutUint64(header[0x1d0:], 0x300)     // objcOptsOffset
	le.PutUint64(header[0x330:], selectors) // relativeMethodSelectorBaseAddressOffset
	x.M.Add(cacheAt, header)
	x.put(0x54, 0xa0, 1, 1) // the cache's UUID
	x.put(0x64, 0xb0, 8, cacheAt)
}

// rebase puts addresses in the places of the pointers in an image that is linked for 0.
func (x *target) rebase(f *macho.File, load uint64) {
	for _, s := range f.Sections() {
		data, err := f.SectionData(s.Segment, s.Name)
		if s.Prot&task.Write == 0 || err != nil {
			continue
		}
		for off := 0; off+8 <= len(data.Data); off += 8 {
			const bind, target = 1 << 63, 1<<36 - 1
			link := binary.LittleEndian.Uint64(data.Data[off:])
			if _, ok := f.SectionAt(link & target &^ 7); ok && link&bind == 0 {
				x.M.Put(task.Addr(load+s.VMAddr)+task.Addr(off), 8, link&target+load)
			}
		}
	}
}

// direct has the lists of methods tell selectors relative to base.
func (x *target) direct(f *macho.File, load, base uint64) {
	lists, err := f.SectionData("", "__objc_methlist")
	if err != nil {
		x.t.Fatal(err)
	}
	for at := 0; at+8 <= len(lists.Data); {
		here := task.Addr(load + lists.VMAddr)
		x.M.Put(here+task.Addr(at), 4, 0xc000000c)
		n := binary.LittleEndian.Uint32(lists.Data[at+4:])
		for at += 8; n > 0; n-- {
			ref := load + lists.VMAddr + uint64(at) + uint64(int64(int32(binary.LittleEndian.Uint32(lists.Data[at:]))))
			var selector [8]byte
			if err := task.ReadFull(x.M, selector[:], task.Addr(ref)); err != nil {
				x.t.Fatal(err)
			}
			x.M.Put(here+task.Addr(at), 4, binary.LittleEndian.Uint64(selector[:])-base)
			at += 12
		}
	}
}

// TestImagesKnowWhereTheSharedCacheIs: the methods of one have the names of selectors
// that are told relative to a place in the cache.
func TestImagesKnowWhereTheSharedCacheIs(t *testing.T) {
	for name, read := range map[string]func(task.Process) (Loaded, []error){
		"once":    new(Loader).Load,
		"tracked": func(p task.Process) (Loaded, []error) { l, errs := NewTracker(p).Load(); return l.Loaded, errs },
	} {
		x := newTarget(t, 8)
		x.inCache()
		x.image(macho.Execute, mainAt, nil)
		x.list(libAt, x.path("/usr/lib/libfake.dylib"), mainAt, x.path("/bin/main"))
		l, errs := read(x)
		if len(errs) > 0 || len(l.Images) == 0 {
			t.Fatal(name, errs)
		}
		var names []string
		for at := uint64(0); at < 0x1000; at++ {
			if sym, ok := l.Images[0].File.Symbol(at); ok && sym.VMAddr == at {
				names = append(names, sym.Name)
			}
		}
		for _, want := range []string{"-[Leaf run]", "+[Root count]", "-[Root first:second:]"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s: no %s in %q", name, want, names)
			}
		}
	}
}

// TestSimulatorsCacheIsSlid: a simulator's dyld notes where the cache would be without
// its slide, where older ones and other systems' note where it is.
func TestSimulatorsCacheIsSlid(t *testing.T) {
	const unslid, slide = 0x4000_0000, 0x123_4000
	for name, c := range map[string]struct {
		platform uint64
		at, want task.Addr // of the header, and the base that is to be found
	}{
		"iOS's":             {simulatorIOS, unslid + slide, unslid + slide},
		"watchOS's":         {simulatorWatchOS, unslid + slide, unslid + slide},
		"visionOS's":        {simulatorVisionOS, unslid + slide, unslid + slide},
		"an older one":      {simulatorTVOS, unslid, unslid},
		"no simulator's":    {1, unslid + slide, unslid},
		"of iOS on a phone": {2, unslid + slide, unslid},
	} {
		x := newTarget(t, 8)
		x.put(0xb0, 0x140, 4, c.platform)
		x.put(0x54, 0xa0, 1, 1)
		x.put(0x64, 0xb0, 8, unslid)
		x.put(0x58, 0x98, 8, slide)
		x.M.Add(c.at, []byte("dyld_v1   arm64\x00"))
		if cache, ok := CacheOf(x); !ok || cache.Base != c.want {
			t.Errorf("%s: %v %v, want %v", name, cache.Base, ok, c.want)
		}
	}
}
