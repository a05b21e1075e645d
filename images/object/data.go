package object

// DataFinder is a [File] that finds data by name, without reading it.
type DataFinder interface {
	// SectionRange returns the address and size of the mapped section of a name, as
	// the format writes it: ".data"; "__DATA,__data".
	SectionRange(name string) (vmaddr, size uint64, ok bool)
	// Exported returns the address of an exported function or variable, by the name
	// in its source. It reads little more than the loader would.
	Exported(name string) (vmaddr uint64, ok bool)
}
