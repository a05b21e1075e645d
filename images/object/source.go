package object

// Source is a function at an address, and the source line there.
type Source struct {
	Function string // the linker's name, else the source's; "" when not known
	File     string // as given to the compiler, below the directory it ran in; "" when not known
	Line     int    // 0: the code belongs to no line
	Column   int    // 0: not known
	// Low and High are the part of the function that contains the address; 0 for an
	// inlined call.
	Low, High uint64
}

// SourceOf returns the calls inlined at an address, the innermost first, and last the
// function itself; nil if the file does not know, or has no such method. It may read
// much of the file.
func SourceOf(f File, vmaddr uint64) []Source {
	if s, ok := f.(interface{ Source(vmaddr uint64) []Source }); ok {
		return s.Source(vmaddr)
	}
	return nil
}

// ReportsSource reports whether a file has a method that [SourceOf] or [SourceNote]
// calls.
func ReportsSource(f File) bool {
	switch f.(type) {
	case interface{ Source(vmaddr uint64) []Source }, interface{ SourceNote() string }:
		return true
	}
	return false
}

// SourceNote returns one line on why a file's debugging information could not be
// read, "" if there is nothing to say.
func SourceNote(f File) string {
	if s, ok := f.(interface{ SourceNote() string }); ok {
		return s.SourceNote()
	}
	return ""
}

// HasSource reports whether a file, or its separate debug file, has debugging
// information.
func HasSource(f File) bool {
	s, ok := f.(interface{ Sourced() bool })
	return ok && s.Sourced()
}
