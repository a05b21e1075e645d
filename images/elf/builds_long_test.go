//go:build long

package elf

const leastAddrs = 20_000

var (
	wholeBuilds = []string{
		"-gdwarf-2 -O2", "-gdwarf-3 -O1", "-gdwarf-4 -O2 -gz", "-gdwarf-5 -O2", "-gdwarf-5 -O0",
		"-gdwarf-5 -gdwarf64 -O2 -ffunction-sections", "-gdwarf-5 -O2 -flto -gz",
	}
	splitBuilds = []string{
		"-gdwarf-4 -O2 -gsplit-dwarf", "-gdwarf-5 -O2 -gsplit-dwarf", "-gdwarf-5 -O1 -gsplit-dwarf -gz -ffunction-sections",
	}
	sharedBuilds = []string{"-gdwarf-4 -O2", "-gdwarf-5 -O2"}
)
