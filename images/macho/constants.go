package macho

// Magic numbers, <mach-o/loader.h> and <mach-o/fat.h>.
const (
	magic32  = 0xfeedface
	magic64  = 0xfeedfacf
	magicFat = 0xcafebabe // always big-endian
	magicF64 = 0xcafebabf
)

// FileType is the kind of a Mach-O file.
type FileType uint32

// The file types that occur in a process, <mach-o/loader.h>.
const (
	Object   FileType = 1
	Execute  FileType = 2
	Core     FileType = 4
	Dylib    FileType = 6
	Dylinker FileType = 7
	Bundle   FileType = 8
	DSYM     FileType = 10
)

// Bits of mach_header.flags.
const flagInSharedCache = 0x80000000 // MH_DYLIB_IN_CACHE

// Load commands, <mach-o/loader.h>.
const (
	lcSegment        = 0x1
	lcSymtab         = 0x2
	lcDysymtab       = 0xb
	lcIDDylib        = 0xd
	lcIDDylinker     = 0xf
	lcSegment64      = 0x19
	lcUUID           = 0x1b
	lcEncryption     = 0x21
	lcMinMacOS       = 0x24
	lcMinIOS         = 0x25
	lcDyldInfo       = 0x22
	lcFunctionStarts = 0x26
	lcDataInCode     = 0x29
	lcEncryption64   = 0x2c
	lcMinTVOS        = 0x2f
	lcMinWatchOS     = 0x30
	lcBuildVersion   = 0x32
	lcDyldInfoOnly   = 0x80000022
	lcChainedFixups  = 0x80000034
)

// Section types and attributes, <mach-o/loader.h>.
const (
	sectionTypeMask      = 0xff
	typeZeroFill         = 0x1
	typeCStrings         = 0x2
	typeLazyPointers     = 0x7
	typeStubs            = 0x8
	typeGBZeroFill       = 0xc
	typeThreadZeroFill   = 0x12
	attrPureInstructions = 0x80000000
	attrSomeInstructions = 0x00000400
)

// Entries of the indirect symbol table that name no symbol.
const (
	indirectLocal = 0x80000000
	indirectAbs   = 0x40000000
)

// Fields of an nlist, <mach-o/nlist.h>.
const (
	nStab    = 0xe0
	nPrivate = 0x10
	nType    = 0x0e
	nExt     = 0x01
	nSect    = 0x0e // a value of nType
	nWeakDef = 0x0080
)

// Types of stabs, symbols for debuggers (<mach-o/stab.h>).
const (
	stabFunction = 0x24 // N_FUN: address and name, then the size
	stabSource   = 0x64 // N_SO
	stabObject   = 0x66 // N_OSO
)

// CPU types and subtypes, <mach/machine.h>.
const (
	cpu64      = 0x01000000
	cpu64Of32  = 0x02000000
	cpuX86     = 7
	cpuX86_64  = cpuX86 | cpu64
	cpuARM     = 12
	cpuARM64   = cpuARM | cpu64
	cpuARM6432 = cpuARM | cpu64Of32

	subtypeMask    = 0x00ffffff // without the feature bits
	subtypeX86_64H = 8
	subtypeARM64E  = 2
)
