package macho

import (
	"encoding/binary"

	"stacksnap/images/code"
	"stacksnap/images/objc"
	"stacksnap/images/object"
)

// method names the Objective-C method that contains vmaddr, in the i-th section,
// where no symbol does. Without LC_FUNCTION_STARTS, control flow from the method's
// start must reach vmaddr.
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

// methodOwns reports whether vmaddr is in the method that starts at start.
func (f *File) methodOwns(start, vmaddr uint64, i int) bool {
	if f.ownSymbols() {
		if sym, ok := f.symtab().pick(vmaddr, i, true); ok && sym.VMAddr > start {
			return false
		}
	}
	return code.Reaches(f.Arch(), f.ReadCode, start, vmaddr)
}

// readMethods reads the methods of Objective-C classes and categories; nil if there
// are none.
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

// ranges returns the sections with these names.
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

// readSome reads at a vmaddr and returns how many bytes it read.
func (f *File) readSome(p []byte, vmaddr uint64) int {
	n, _ := f.src.readVM(p, vmaddr)
	return n
}
