//go:build linux

package ptrace

// codeMask returns what it is given: x86 signs no pointers.
func codeMask(_ int, _ []byte, known uint64) uint64 { return known }

// firstCodeMask is what is known before a thread has been stopped.
const firstCodeMask = ^uint64(0)
