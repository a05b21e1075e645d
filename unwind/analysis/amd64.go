package analysis

var amd64 = machine{
	unit:  1,
	sp:    rsp,
	fp:    rbp,
	lr:    numRegisters,
	word:  8,
	size:  rax,
	kept:  []uint8{rbx, rbp, 12, 13, 14, 15},
	carry: 1<<rsp | 1<<rbp | 1<<rbx | 1<<r10 | 1<<r11 | 0xf000,
	dwarf: [numRegisters]uint8{0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15},
	step:  stepAMD64,
}
