package notation

// HeadSize is how much of a file is read to find out what it is, in bytes. People paste a few
// lines of their own before a report.
const HeadSize = 16 << 10

// The bounds of what is kept of a report.
const (
	MaxImages = 1 << 16
	MaxLines  = 1 << 12 // lines of one section of text
)

const (
	Unknown   = "???" // what is not known
	MainQueue = "com.apple.main-thread"
	// NoEnd is the note of an image without an end.
	NoEnd = "the report does not tell where it ends"
)

// Marks that our own reports have behind a name.
const (
	InlinedMark = " [inlined]"
	KernelMark  = " [k]"
)
