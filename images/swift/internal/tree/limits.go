package tree

// The limits of one tree. By substitutions a short name can be that of a tree that is exponentially
// larger when it is printed; what exceeds a limit is no name.
const (
	maxNodes  = 1 << 16 // nodes
	MaxDepth  = 768     // levels that are printed or parsed recursively
	MaxOutput = 1 << 16 // bytes of a rendering
)
