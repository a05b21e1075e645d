package object

// DataFinder is a [File] that finds data by name, without reading it.
type DataFinder interface {
	// SectionRange returns the address and size of the mapped section of a name, as
	// the format writes it: ".data"; "__DATA,__data".
	SectionRange(name string) (vmaddr, size uint64, ok bool)
	// Exported returns the address of an exported function or variable, by the name
	// in its source. It reads little more than the loader would. For variables that
	// are not exported, see [SymbolFinder].
	Exported(name string) (vmaddr uint64, ok bool)
}

// SymbolFinder is a [File] that finds variables by name, exported or not.
type SymbolFinder interface {
	// SymbolsOf returns the symbol of each name, empty if the symbol table has none. It
	// reads the whole table.
	SymbolsOf(names ...string) []Symbol
}

// SymbolsOf calls f.SymbolsOf. It returns nil if f is not a [SymbolFinder].
func SymbolsOf(f File, names ...string) []Symbol {
	if finder, can := f.(SymbolFinder); can {
		return finder.SymbolsOf(names...)
	}
	return nil
}

// GoFunctionFinder is a [File] that may have Go's table of functions.
type GoFunctionFinder interface {
	// GoFunctions returns the function of each name, empty if the table has none.
	GoFunctions(names ...string) []Symbol
}

// GoFunctions calls the method of that name of [GoFunctionFinder]. It returns nil for a file without it.
func GoFunctions(f File, names ...string) []Symbol {
	if finder, can := f.(GoFunctionFinder); can {
		return finder.GoFunctions(names...)
	}
	return nil
}

// DataSymbolFinder is a [File] of Mach-O.
type DataSymbolFinder interface {
	// DataSymbol returns the address of the symbol with exactly this name, exported or not,
	// with the underscore before C names.
	DataSymbol(name string) (vmaddr uint64, ok bool)
}
