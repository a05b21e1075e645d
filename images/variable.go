package images

import (
	"strings"

	"stacksnap/images/object"
	"stacksnap/task"
)

// Variable is the global or static variable at a data address.
type Variable struct {
	Name   string // demangled, as in the source
	Offset uint64 // of the address in the variable
	Size   uint64 // of the variable in bytes; 0: unknown
}

// Variable returns the variable at an address; false if no symbol covers it, as on a heap
// or a stack. It may read the symbol table of a file.
func (m *Map) Variable(a task.Addr) (Variable, bool) {
	im, ok := m.Find(a)
	if !ok {
		return Variable{}, false
	}
	f, ok := im.File.(object.VariableReporter)
	if !ok {
		return Variable{}, false
	}
	vmaddr := im.VMAddr(a)
	sym, ok := f.Variable(vmaddr)
	if !ok {
		return Variable{}, false
	}
	if base, number := cutLast(sym.Name); isNumber(number) && !strings.Contains(base, ".") {
		sym.Name = base // lock.0 is the static variable of a function (GCC, lhd_set_decl_assembler_name)
	}
	return Variable{im.known(&sym), vmaddr - sym.VMAddr, sym.Size}, true
}
