package macho

import (
	"encoding/binary"

	"stacksnap/images/code"
	"stacksnap/images/objc"
	"stacksnap/images/object"
	"stacksnap/task"
)

// method names the Objective-C method that vmaddr, in the i-th section, is in and that
// no symbol is for. Where LC_FUNCTION_STARTS does not tell how far it reaches, control
// that enters it must get to vmaddr.
func (f *File) method(vmaddr uint64, i int) (object.Symbol, bool) {
	start, ok := f.methods().Start(vmaddr)
	if !ok || start < f.sections[i].VMAddr {
		return object.Symbol{}, false
	}
	if len(f.starts()) > 0 {
		if listed, ok := f.listedStart(vmaddr, i); !ok || listed != start {
			return object.Symbol{}, false
		}
	} else if !f.methodOwns(start, vmaddr, i) {
		return object.Symbol{}, false
	}
	name, ok := f.methods().Name(start)
	return object.Symbol{Name: name, VMAddr: start}, ok
}

// methodOwns tells whether vmaddr is in the method that begins at start.
func (f *File) methodOwns(start, vmaddr uint64, i int) bool {
	if f.ownSymbols() {
		if sym, ok := f.pick(vmaddr, i, true); ok && sym.VMAddr > start {
			return false
		}
	}
	return code.Reaches(f.Arch(), f.ReadCode, start, vmaddr)
}

// readMethods reads the methods of Objective-C's classes and categories; nil when
// there are none.
func (f *File) readMethods() *objc.Table {
	im := objc.Image{
		Classes:    f.ranges("__objc_classlist", "__objc_nlclslist"),
		Categories: f.ranges("__objc_catlist", "__objc_nlcatlist"),
	}
	if !f.is64 || f.order != binary.LittleEndian || len(im.Classes)+len(im.Categories) == 0 {
		return nil
	}
	im.Read = f.readSome
	im.Pointer = f.pointer()
	if !f.inMemory() && f.chained.size == 0 {
		var done func()
		im.Pointer, done = f.withClasses(im.Pointer)
		defer done()
	}
	im.Code = func(vmaddr uint64) bool {
		i := f.sectionIndex(vmaddr)
		return i >= 0 && f.sections[i].instructions() && !f.sections[i].Stubs()
	}
	im.SelectorBase = f.selectorBase()
	im.Keep, im.Take = f.cost.keep, f.cost.take
	return objc.Open(im)
}

// ranges returns the sections of these names.
func (f *File) ranges(names ...string) (all []objc.Range) {
	for i := range f.sections {
		for _, name := range names {
			if s := &f.sections[i]; s.Name == name {
				all = append(all, objc.Range{VMAddr: s.VMAddr, Size: s.Size})
			}
		}
	}
	return all
}

// readSome reads at a vmaddr, and returns how much of p there is.
func (f *File) readSome(p []byte, vmaddr uint64) int {
	n, _ := f.src.readVM(p, vmaddr)
	return n
}

// SetSharedCache tells where the shared cache is that an image in memory is in. It is
// called before anything is asked.
func (f *File) SetSharedCache(base task.Addr) {
	if f.InSharedCache() {
		f.cache = base
	}
}

// Places in the shared cache (dyld_cache_header of <mach-o/dyld_cache_format.h>, and
// dyld's ObjCOptimizationHeader).
const (
	cacheHeaderSize  = 0x10 // mappingOffset, which is where the header ends
	cacheObjcOpts    = 0x1d0
	objcSelectorBase = 48
)

// selectorBase returns what gives the vmaddr that selectors of the shared cache are told
// relative to, 0 where it is not known: before macOS 13 the header does not tell.
func (f *File) selectorBase() func() uint64 {
	var base uint64
	asked := false
	return func() uint64 {
		if !asked {
			base, asked = f.readSelectorBase(), true
		}
		return base
	}
}

func (f *File) readSelectorBase() uint64 {
	m, ok := f.src.(*memorySource)
	if !ok || f.cache == 0 {
		return 0
	}
	var b [8]byte
	read := func(size int, offset uint64) uint64 {
		clear(b[:])
		if task.ReadFull(m.mem, b[:size], f.cache+task.Addr(offset)) != nil {
			return 0
		}
		return binary.LittleEndian.Uint64(b[:])
	}
	if read(4, cacheHeaderSize) < cacheObjcOpts+8 {
		return 0
	}
	opts := read(8, cacheObjcOpts)
	if opts == 0 {
		return 0
	}
	offset := read(8, opts+objcSelectorBase)
	if offset == 0 {
		return 0
	}
	return uint64(f.cache) + offset - f.slide
}
