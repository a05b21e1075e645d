package elf

import (
	"debug/elf"
	"slices"

	"stacksnap/images/object"
)

// Variable implements [object.VariableReporter]. A symbol without a size matches only
// its own address.
func (f *File) Variable(vmaddr uint64) (object.Symbol, bool) {
	return f.variableTable().Variable(vmaddr, 0)
}

// readVariables merges the variables of the symbol table, or that of the debug file,
// and of .dynsym. They are all in section 0 of the table.
func (f *File) readVariables() *object.Table {
	t, _ := f.merge(f.fullSymbols(), true, variable)
	return t
}

// variable is the entryOf for variables. It leaves out thread-local ones, whose
// values are not addresses.
func variable(_ *symbolTable, s *symbol) (object.Entry, bool) {
	isVariable := s.isDefined() && (s.kind() == elf.STT_OBJECT || s.kind() == elf.STT_COMMON)
	return object.Entry{VMAddr: s.value, Size: s.size, Name: s.name, Rank: rank(s)}, isVariable
}

// SymbolsOf implements [object.SymbolFinder]. It reads the symbol table to the end and keeps
// nothing of it: few names are not worth a table of all variables.
func (f *File) SymbolsOf(names ...string) []object.Symbol {
	found := make([]object.Symbol, len(names))
	t := f.fullSymbols()
	if t == nil {
		return found
	}
	t.each(f.budget, func(s *symbol) bool {
		if s.isDefined() && s.kind() == elf.STT_OBJECT {
			name := t.name(s.name)
			if i := slices.Index(names, name); i >= 0 {
				found[i] = object.Symbol{Name: name, VMAddr: s.value, Size: s.size}
			}
		}
		return true
	})
	return found
}
