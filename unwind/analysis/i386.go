package analysis

// i386 is x86 in 32-bit mode. GCC keeps the address of main's frame in ecx.
var i386 = machine{
	unit:  1,
	sp:    rsp,
	fp:    rbp,
	lr:    numRegisters,
	word:  4,
	size:  rax,
	kept:  []uint8{rbx, rbp, rsi, rdi},
	carry: 1<<rsp | 1<<rbp | 1<<rbx | 1<<rcx | 1<<rsi | 1<<rdi,
	dwarf: [numRegisters]uint8{0, 1, 2, 3, 4, 5, 6, 7},
	step:  stepI386,
}
