package compact

import "stacksnap/task"

// amd64 numbers rbx, r12, r13, r14, r15, rbp (DWARF 3, 12, 13, 14, 15, 6), and
// recognises push rbp; mov rsp, rbp and sub imm32, rsp.
var amd64 = x86{
	arch:      task.AMD64,
	word:      8,
	registers: [7]task.Reg{0, 3, 12, 13, 14, 15, 6},
	pushFP:    []byte{0x55, 0x48, 0x89, 0xe5},
	subSP:     []byte{0x48, 0x81, 0xec},
}
