package elf

import (
	"debug/elf"

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

// variable returns the entry of a variable. Thread-local ones are none: their values
// are no addresses.
func variable(_ *symbolTable, s *symbol) (object.Entry, bool) {
	isVariable := s.isDefined() && (s.kind() == elf.STT_OBJECT || s.kind() == elf.STT_COMMON)
	return object.Entry{VMAddr: s.value, Size: s.size, Name: s.name, Rank: rank(s)}, isVariable
}
