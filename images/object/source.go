package object

// Source is a function at an address, and where in the source it is there.
type Source struct {
	Function string // as the linker knows it, else as the source has it; empty when not known
	File     string // as the compiler was given it, under the folder it ran in; empty when not known
	Line     int    // 0: the code is of no line
	Column   int    // 0: not known
	// Low and High are of the part of the function that has the address; 0 of a call
	// that was inlined.
	Low, High uint64
}

// SourceOf returns the function that a file knows an address to be in, last, and
// before it the calls that are inlined there, the innermost first: nil where it
// knows none, or has no such method. It may read much of the file.
func SourceOf(f File, vmaddr uint64) []Source {
	if s, ok := f.(interface{ Source(vmaddr uint64) []Source }); ok {
		return s.Source(vmaddr)
	}
	return nil
}

// TellsSource reports whether a file has a method that [SourceOf] or [SourceNote] asks.
func TellsSource(f File) bool {
	switch f.(type) {
	case interface{ Source(vmaddr uint64) []Source }, interface{ SourceNote() string }:
		return true
	}
	return false
}

// SourceNote tells in one line why a file did not know the source of what it was asked,
// though it says where that would be; empty where there is no more to tell.
func SourceNote(f File) string {
	if s, ok := f.(interface{ SourceNote() string }); ok {
		return s.SourceNote()
	}
	return ""
}

// HasSource reports whether a file, or the separate one with its debugging information,
// has any: it then tells of no function what it does not know.
func HasSource(f File) bool {
	s, ok := f.(interface{ Sourced() bool })
	return ok && s.Sourced()
}
