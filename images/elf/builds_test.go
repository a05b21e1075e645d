//go:build !long

package elf

// leastAddrs are the addresses of a program that LLVM is asked for. With -tags long they
// are more, and so are the programs, each of which takes the compilers seconds.
const leastAddrs = 1000

// The flags that programs are built with, whole, split, and shared by dwz.
var (
	wholeBuilds  = []string{"-gdwarf-3 -O1", "-gdwarf-4 -O2 -gz"}
	splitBuilds  = []string{"-gdwarf-5 -O2 -gsplit-dwarf"}
	sharedBuilds = []string{"-gdwarf-5 -O2"}
)
