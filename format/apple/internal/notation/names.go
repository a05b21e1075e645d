package notation

// HeadSize is how many bytes of a file are read to recognise its kind. People paste a
// few lines of their own before a report.
const HeadSize = 16 << 10

// Limits of what is kept of a report.
const (
	MaxImages = 1 << 16
	MaxLines  = 1 << 12 // lines of one section of text
)

const (
	Unknown   = "???" // written for an unknown value
	MainQueue = "com.apple.main-thread"
	// NoEnd is the note of an image whose end is unknown.
	NoEnd = "the report does not tell where it ends"
)

// Marks that this program's reports have after a name.
const (
	InlinedMark = " [inlined]"
	KernelMark  = " [k]"
)
