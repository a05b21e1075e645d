package tree

// Limits for one tree. Through substitutions, a short name can have a tree that is
// exponentially larger when it is printed. A name that exceeds a limit is not
// demangled.
const (
	maxNodes  = 1 << 16 // nodes
	MaxDepth  = 768     // levels that are printed or parsed recursively
	MaxOutput = 1 << 16 // bytes of a rendering
)
