package task

// Arch is the instruction set and register file of a target. Pointer sizes and register numbers
// always come from here, never from the host.
type Arch uint8

// The architectures that can be read and unwound, on every host.
const (
	UnknownArch Arch = iota
	AMD64
	ARM64
	I386
	ARM
	NumArchs // the number of architectures, with the unknown one
)

// MaxRegisters bounds the DWARF register numbers that [Registers] holds on any
// architecture.
const MaxRegisters = 33

// Reg is a DWARF register number of an architecture.
type Reg uint8

// layout describes an architecture's register file by DWARF number (System V psABI AMD64 figure
// 3.36, AArch64 DWARF (AADWARF64) 4.1, psABI i386 table 2.14, AADWARF32 3.1), and the numbers
// that files have for the architecture.
type layout struct {
	name           string
	pointerSize    int
	registers      int
	pc, sp, fp, lr Reg
	hasLR          bool
	elf            uint16 // e_machine (<elf.h>)
	machO          uint32 // cputype (mach/machine.h)
}

var layouts = [NumArchs]layout{
	UnknownArch: {name: "unknown", pointerSize: 8},
	AMD64:       {name: "x86_64", pointerSize: 8, registers: 17, pc: 16, sp: 7, fp: 6, elf: 62, machO: 7 | abi64},
	ARM64:       {name: "arm64", pointerSize: 8, registers: 33, pc: 32, sp: 31, fp: 29, lr: 30, hasLR: true, elf: 183, machO: 12 | abi64},
	I386:        {name: "i386", pointerSize: 4, registers: 9, pc: 8, sp: 4, fp: 5, elf: 3, machO: 7},
	// The frame pointer of armv7 is r7, as Apple's ABI and Thumb code have it.
	ARM: {name: "armv7", pointerSize: 4, registers: 16, pc: 15, sp: 13, fp: 7, lr: 14, hasLR: true, elf: 40, machO: 12},
}

// Bits of a cputype besides the processor's family (mach/machine.h).
const (
	abi64   = 0x01000000 // CPU_ARCH_ABI64
	abi6432 = 0x02000000 // CPU_ARCH_ABI64_32: 64-bit registers, 32-bit pointers
)

// ArchOfELF returns the architecture that an ELF header's e_machine names. The
// file's class does not matter.
func ArchOfELF(machine uint16) Arch {
	return archWhere(func(l *layout) bool { return l.elf == machine })
}

// ArchOfMachO returns the architecture of a cputype. arm64_32 (watchOS) has 32-bit pointers but
// the registers of arm64.
func ArchOfMachO(cpu uint32) Arch {
	if cpu == 12|abi6432 {
		return ARM64
	}
	return archWhere(func(l *layout) bool { return l.machO == cpu })
}

func archWhere(matches func(*layout) bool) Arch {
	for a := UnknownArch + 1; a < NumArchs; a++ {
		if matches(&layouts[a]) {
			return a
		}
	}
	return UnknownArch
}

func (a Arch) layout() *layout {
	if int(a) >= len(layouts) {
		return &layouts[UnknownArch]
	}
	return &layouts[a]
}

// String returns the name that Apple's tools print: x86_64, arm64, i386, armv7.
func (a Arch) String() string { return a.layout().name }

// PointerSize returns the size of a pointer in bytes: 4 or 8.
func (a Arch) PointerSize() int { return a.layout().pointerSize }

// NumRegisters returns how many DWARF register numbers are in use, the program
// counter among them; 0 for an unknown architecture.
func (a Arch) NumRegisters() int { return a.layout().registers }

// PC returns the number under which the program counter is kept. On AMD64 and
// I386 that is DWARF's return-address column; on ARM64 it is 32, DWARF's ELR.
func (a Arch) PC() Reg { return a.layout().pc }

// SP returns the number of the stack pointer.
func (a Arch) SP() Reg { return a.layout().sp }

// FP returns the number of the frame pointer: rbp, x29, ebp, r7.
func (a Arch) FP() Reg { return a.layout().fp }

// LR returns the number of the link register, and false where calls push the
// return address instead.
func (a Arch) LR() (Reg, bool) { l := a.layout(); return l.lr, l.hasLR }
