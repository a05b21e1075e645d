package compact

import "stacksnap/task"

// i386 numbers ebx, ecx, edx, edi, esi, ebp (DWARF 3, 1, 2, 7, 6, 5), and recognises
// push ebp; mov esp, ebp and sub imm32, esp.
var i386 = x86{
	arch:      task.I386,
	word:      4,
	registers: [7]task.Reg{0, 3, 1, 2, 7, 6, 5},
	pushFP:    []byte{0x55, 0x89, 0xe5},
	subSP:     []byte{0x81, 0xec},
}
