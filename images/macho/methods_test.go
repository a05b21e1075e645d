package macho

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/object"
	"stacksnap/task"
)

// fixtureMethods are those of testdata/objc/fixture.m.
var fixtureMethods = []string{
	"+[NSString(Paths) paths]", "+[Root count]", "+[Root load]", "-[Leaf other]", "-[Leaf run]", "-[Leaf setSize:]",
	"-[Leaf size]", "-[NSString(Paths) isPath]", "-[Root first:second:]", "-[Root run]", "-[Root(More) more]",
	"-[_TtC4shop5Clerk work]",
}

func readFixture(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func thin(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := NewFile(bytes.NewReader(b), int64(len(b)), Want{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// without returns the file with zeros in the load commands of that kind.
func without(b []byte, cmds ...uint32) []byte {
	b = bytes.Clone(b)
	for at, n := headerSize64, binary.LittleEndian.Uint32(b[16:]); n > 0; n-- {
		size := int(binary.LittleEndian.Uint32(b[at+4:]))
		if slices.Contains(cmds, binary.LittleEndian.Uint32(b[at:])) {
			clear(b[at+8 : at+size])
		}
		at += size
	}
	return b
}

// eachCode calls f for each address of __text.
func eachCode(t *testing.T, file *File, f func(vmaddr uint64)) {
	t.Helper()
	for i := range file.sections {
		if s := &file.sections[i]; s.Name == "__text" {
			for at := s.VMAddr; at < s.VMAddr+s.Size; at++ {
				f(at)
			}
		}
	}
}

// TestMethodsOfStrippedFiles: without a symbol table a method has the name that it had
// in it, at all its addresses and at no other one.
func TestMethodsOfStrippedFiles(t *testing.T) {
	for _, path := range objcFixtures(t) {
		b := readFixture(t, path)
		whole, stripped := thin(t, b), thin(t, without(b, lcSymtab))
		seen := map[string]bool{}
		eachCode(t, whole, func(at uint64) {
			want, _ := whole.Symbol(at)
			got, ok := stripped.Symbol(at)
			if ok {
				seen[got.Name] = true
			}
			if ok != methodSymbol.MatchString(want.Name) || ok && (withoutRuntimeName(got.Name) != want.Name || got.VMAddr != want.VMAddr) {
				t.Errorf("%s: %#x: got %+v, %v; want %+v", path, at, got, ok, want)
			}
		})
		if len(seen) != len(fixtureMethods) {
			t.Errorf("%s: %d methods", path, len(seen))
		}
	}
}

// TestMethodsWithoutFunctionStarts: what is said of addresses behind a method's first
// is true then, too.
func TestMethodsWithoutFunctionStarts(t *testing.T) {
	for _, path := range objcFixtures(t) {
		b := readFixture(t, path)
		whole, stripped := thin(t, b), thin(t, without(b, lcSymtab, lcFunctionStarts))
		starts, inside := 0, 0
		eachCode(t, whole, func(at uint64) {
			want, _ := whole.Symbol(at)
			got, ok := stripped.Symbol(at)
			switch {
			case !ok && at == want.VMAddr && methodSymbol.MatchString(want.Name):
				t.Errorf("%s: %#x: no name, want %+v", path, at, want)
			case ok && (withoutRuntimeName(got.Name) != want.Name || got.VMAddr != want.VMAddr):
				t.Errorf("%s: %#x: got %+v, want %+v", path, at, got, want)
			case ok && at == want.VMAddr:
				starts++
			case ok:
				inside++
			}
		})
		if starts != len(fixtureMethods) || inside < starts {
			t.Errorf("%s: named at %d starts and %d other places", path, starts, inside)
		}
	}
}

// process is an image as dyld leaves it in memory.
type process struct {
	*machotest.Memory
	image *File // the file
	slide uint64
	sign  uint64 // is in pointers, apart from the address
}

const foreign = 0x6000_0000 // where a class of another image is

// mapped maps a file and puts addresses in the places of its pointers.
func mapped(t *testing.T, b []byte, sign uint64) *process {
	t.Helper()
	p := &process{Memory: &machotest.Memory{}, image: thin(t, b), sign: sign}
	p.slide = p.Map(t, b, load)
	pointer, done := p.image.withClasses(p.image.pointer())
	if p.image.chained.size != 0 {
		pointer = p.image.pointer()
	}
	defer done()
	for i := range p.image.sections {
		s := &p.image.sections[i]
		data, err := p.image.sectionData(i)
		if s.Prot&task.Write == 0 || err != nil {
			continue
		}
		for off := uint64(0); off+8 <= s.Size; off += 8 {
			to := pointer(s.VMAddr+off, binary.LittleEndian.Uint64(data[off:]))
			if _, ok := p.image.SectionAt(to.Target &^ 7); ok {
				p.put(s.VMAddr+off, to.Target)
			} else if to.Import == "_OBJC_CLASS_$_NSString" {
				p.put(s.VMAddr+off, foreign-p.slide)
			}
		}
	}
	p.addForeignClass("NSString")
	return p
}

// put writes a pointer.
func (p *process) put(vmaddr, target uint64) {
	p.Put(task.Addr(vmaddr+p.slide), 8, target+p.slide|p.sign)
}

// addForeignClass adds a class that the runtime has realized, and extended.
func (p *process) addForeignClass(name string) {
	b := make([]byte, 0x400)
	for at, v := range map[int]uint64{
		0x20:  foreign + 0x100 | 2,                 // data, and that it is Swift's
		0x100: 1 << 31, 0x108: foreign + 0x200 | 1, // class_rw_t: flags, class_rw_ext_t
		0x200: foreign + 0x300, // class_ro_t
		0x318: foreign + 0x380, // its name
	} {
		if v > foreign {
			v |= p.sign
		}
		binary.LittleEndian.PutUint64(b[at:], v)
	}
	copy(b[0x380:], name)
	p.Add(foreign, b)
}

// realize has the runtime realize a class of the image, of which it keeps class_ro_t.
func (p *process) realize(class uint64, at task.Addr) {
	var data [8]byte
	if _, err := p.ReadMemory(data[:], task.Addr(class+32+p.slide)); err != nil {
		panic(err)
	}
	rw := make([]byte, 32)
	binary.LittleEndian.PutUint64(rw, 1<<31)
	copy(rw[8:], data[:])
	p.Add(at, rw)
	p.Put(task.Addr(class+32+p.slide), 8, uint64(at)|p.sign|1<<63)
}

func (p *process) open(t *testing.T) *File {
	t.Helper()
	f, err := FromMemory(p, load, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// names are those of all methods that a file tells.
func names(f *File) []string {
	var all []string
	for _, start := range f.starts() {
		if sym, ok := f.Symbol(start); ok {
			all = append(all, sym.Name)
		}
	}
	slices.Sort(all)
	return all
}

const signature = 0x2a5b<<48 | 1<<47

// TestMethodsInMemory: pointers have moved with the image, and may be signed; classes
// are as the runtime has made them; one is of another image.
func TestMethodsInMemory(t *testing.T) {
	for _, path := range objcFixtures(t) {
		for _, sign := range []uint64{0, signature} {
			p := mapped(t, without(readFixture(t, path), lcSymtab, lcDysymtab), sign)
			class, ok := thin(t, readFixture(t, path)).DataSymbol("_OBJC_CLASS_$_Root")
			meta, metaOK := thin(t, readFixture(t, path)).DataSymbol("_OBJC_METACLASS_$_Root")
			if !ok || !metaOK {
				t.Fatal("no class Root")
			}
			p.realize(class, 0x5000_0000)
			p.put(class, meta|1) // an isa with flags
			p.realize(meta, 0x5001_0000)
			f := p.open(t)
			if got := names(f); !slices.Equal(got, fixtureMethods) {
				t.Errorf("%s, signed %#x: %q", path, sign, got)
			}
		}
	}
}

// TestMethodsInSharedCache: the builder of the cache tells selectors relative to one,
// in macOS 11 to the method, and gives a class with its categories' methods a list of
// lists.
func TestMethodsInSharedCache(t *testing.T) {
	const cache, objc, magic = 0x5100_0000, 0x5110_0000, load + 0x50_0000
	own := func(method uint64) uint64 { return method }
	one := func(uint64) uint64 { return magic }
	le := binary.LittleEndian
	for _, c := range []struct {
		name   string
		size   uint32
		base   func(uint64) uint64
		change func(m *machotest.Memory)
		want   []string
	}{
		{"13", 0x230, one, nil, fixtureMethods},
		{"13, the smallest header", cacheObjcOpts + 8, one, func(m *machotest.Memory) { m.Put(cache+cacheImages+4, 4, 0) }, fixtureMethods},
		{"13, without optimizations", 0x230, one, func(m *machotest.Memory) { m.Put(cache+cacheObjcOpts, 8, 0) }, nil},
		{"13, without a base", 0x230, one, func(m *machotest.Memory) { m.Put(cache+0x300+objcSelectorBase, 8, 0) }, nil},
		{"12", 0x1c8, one, nil, fixtureMethods},
		{"12, the header ends where the next one's begins", cacheObjcOpts + 7, one, nil, fixtureMethods},
		{"12, without libobjc", 0x1c8, one, func(m *machotest.Memory) { m.Put(cache+cacheImages+4, 4, 1) }, nil},
		{"12, of a libobjc that is none", 0x1c8, one, func(m *machotest.Memory) { m.PutByte(objc, 0) }, nil},
		{"12, another selector", 0x1c8, one, func(m *machotest.Memory) { m.PutByte(magic, 'a') }, nil},
		{"11", cacheSymbolFile, own, nil, fixtureMethods},
		{"none", 0, own, nil, nil},
	} {
		for _, arch := range []string{"arm64", "x86_64"} {
			p := mapped(t, without(readFixture(t, "testdata/objc/chained."+arch+".dylib"), lcSymtab, lcDysymtab), signature)
			p.Put(load+24, 4, uint64(p.image.flags|flagInSharedCache))
			p.makeDirect(t, c.base)
			header := make([]byte, 0x500)
			le.PutUint32(header[cacheHeaderSize:], c.size)
			le.PutUint64(header[cacheStart:], 0x7000_0000)
			le.PutUint64(header[cacheObjcOpts:], 0x300)
			le.PutUint64(header[0x300+objcSelectorBase:], uint64(magic-cache))
			le.PutUint32(header[cacheImages:], 0x360)
			le.PutUint32(header[cacheImages+4:], 2)
			le.PutUint32(header[0x360+cacheImagePath:], 0x480) // the paths in another order
			copy(header[0x480:], "/usr/lib/libobjc.B.dylib\x00")
			le.PutUint64(header[0x380:], 0x7000_0000+objc-cache)
			le.PutUint32(header[0x380+cacheImagePath:], 0x3c0)
			copy(header[0x3c0:], libobjc)
			if c.size < cacheObjcOpts+8 { // there are other things
				clear(header[cacheObjcOpts:][:8])
			}
			p.Add(cache, header)
			p.addLibobjc(t, objc, magic)
			if c.change != nil {
				c.change(p.Memory)
			}
			f := p.open(t)
			f.SetSharedCache(cache)
			if got := names(f); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %q", c.name, arch, got)
			}
			if magic := (cacheMemory{p.Memory, cache}).magicSelector(); strings.HasPrefix(c.name, "12") && (magic == 0) != (c.want == nil) {
				t.Errorf("%s, %s: the selector is at %#x", c.name, arch, magic)
			}
			if got := names(p.open(t)); len(got) != 0 {
				t.Errorf("%s, %s: %q without knowing where the cache is", c.name, arch, got)
			}
		}
	}
}

// makeDirect changes all lists of methods so, and puts that of Root's objects behind a
// list of lists, whose first is another.
func (p *process) makeDirect(t *testing.T, base func(method uint64) uint64) {
	t.Helper()
	lists, err := p.image.SectionData("", "__objc_methlist")
	if err != nil {
		t.Fatal(err)
	}
	for at := uint64(0); at+8 <= uint64(len(lists.Data)); {
		count := binary.LittleEndian.Uint32(lists.Data[at+4:])
		p.Put(task.Addr(lists.VMAddr+at+p.slide), 4, objcDirect|12)
		at += 8
		for ; count > 0; count-- {
			field := lists.VMAddr + at
			ref := field + uint64(int64(int32(binary.LittleEndian.Uint32(lists.Data[at:]))))
			p.Put(task.Addr(field+p.slide), 4, p.image.pointsTo(ref)+p.slide-base(field+p.slide))
			at += 12
		}
	}
	class, _ := thin(t, readFixture(t, "testdata/objc/chained."+p.image.Variant()+".dylib")).DataSymbol("_OBJC_CLASS_$_Root")
	ro := p.image.pointsTo(class + 32)
	list := p.image.pointsTo(ro+32) + p.slide
	const at = load + 0x40_0000
	b := make([]byte, 24)
	binary.LittleEndian.PutUint32(b, 8)
	binary.LittleEndian.PutUint32(b[4:], 2)
	binary.LittleEndian.PutUint64(b[8:], 0x4000<<16|7) // of another image
	binary.LittleEndian.PutUint64(b[16:], uint64(int64(list)-at-16)<<16|1)
	p.Add(at, b)
	p.put(ro+32, at-p.slide|1)
}

const objcDirect = 0xc0000000

// addLibobjc adds the library that has the selector which others are told relative to.
func (p *process) addLibobjc(t *testing.T, at, selector task.Addr) {
	t.Helper()
	b := (&machotest.Image{Is64: true, CPU: 0x0100000c, Type: 6, Flags: flagInSharedCache, Base: 0x1_0000_0000}).Encode()
	const data, refs = "__data\x00\x00\x00\x00\x00\x00\x00\x00\x00", "__objc_selrefs\x00"
	p.Map(t, bytes.Replace(b, []byte(data), []byte(refs), 1), at)
	p.Put(at+machotest.Data, 8, uint64(at)) // another selector
	p.Put(at+machotest.Data+0x1000-8, 8, uint64(selector)|p.sign)
	p.Add(selector, []byte(magicSelector))
}

// TestPointerFormats decodes a link of each format.
func TestPointerFormats(t *testing.T) {
	const base = 0x1_0000_0000
	links := &chained{base: base}
	for _, c := range []struct {
		format  uint16
		link    uint64
		target  uint64
		ordinal int32
	}{
		{chained64, 0x1234 | 5<<51, 0x1234, -1},
		{chained64, 0xf_ffff_ffff | 0xff<<36, 0xf_ffff_ffff, -1},
		{chained64Offset, 0x1234 | 0xfff<<51, base + 0x1234, -1},
		{chained64Offset, 1<<63 | 0x00_abcdef | 0xff<<24, 0, 0xabcdef},
		{chainedARM64E, 0x1_0000_1234 | 7<<51, 0x1_0000_1234, -1},
		{chainedARM64E, 1<<63 | 0xffff<<32 | 0x1234, base + 0x1234, -1},
		{chainedARM64E, 1<<62 | 0x1_fedc, 0, 0xfedc},
		{chainedARM64E, 3<<62 | 0xfedc, 0, 0xfedc},
		{chainedARM64EUserland, 0x1234 | 0x80<<43, base + 0x1234, -1},
		{chainedARM64EUserland, 1<<63 | 0xffff<<32 | 0x1234, base + 0x1234, -1},
		{chainedARM64EOffset, 0x1234, base + 0x1234, -1},
		{chainedARM64EFirmware, 0x1_0000_1234, 0x1_0000_1234, -1},
		{chainedARM64EUser24, 1<<62 | 0xabcdef, 0, 0xabcdef},
		{chainedARM64EUser24, 1<<63 | 3<<49 | 0x1234, base + 0x1234, -1},
		{99, 0x1234, 0, -1},
		{0, 0x1234, 0, -1},
	} {
		if target, ordinal := links.decode(c.format, c.link); target != c.target || ordinal != c.ordinal {
			t.Errorf("%d: %#x is %#x, %d; want %#x, %d", c.format, c.link, target, ordinal, c.target, c.ordinal)
		}
	}
}

// TestMethodsBudget: what cannot be kept or read is left out, and given back at the end.
func TestMethodsBudget(t *testing.T) {
	for _, path := range objcFixtures(t) {
		b := without(readFixture(t, path), lcSymtab)
		for _, budget := range []*object.Budget{object.NewBudget(1<<8, 1<<20), object.NewBudget(1<<20, 1<<12)} {
			f := thin(t, b)
			f.Limit(budget)
			if n := f.methods().Len(); n >= len(fixtureMethods) || !budget.Reached() {
				t.Errorf("%s: %d methods", path, n)
			}
		}
		budget := object.NewBudget(1<<20, 1<<20)
		f := thin(t, b)
		f.Limit(budget)
		if n := f.methods().Len(); n != len(fixtureMethods) || budget.Keep(1<<20) {
			t.Errorf("%s: %d methods, and nothing kept", path, n)
		}
		f.Close()
		if !budget.Keep(1<<20) || !budget.Read(1<<20) {
			t.Errorf("%s: the budget is not given back", path)
		}
	}
}
