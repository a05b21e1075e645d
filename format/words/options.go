package words

// Options are what a caller decides of the forms that people read.
type Options struct {
	// Color marks names and doubts by escape sequences. Whether the output is a
	// terminal that wants them is for the caller to tell.
	Color bool
	// ASCII: what reads it shows nothing else.
	ASCII bool
	// Width is the columns that lines should fit into; 0: they may be of any length.
	// Paths, and what else has no place to break, may be longer.
	Width int
	// FoldIdle has one report on processes that do nothing, all alike.
	FoldIdle bool
}
