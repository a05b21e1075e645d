// A program that runs for ever,
// with 0x1000 and its DWARF number in every register but the stack pointer.
.globl _start
_start:
	mov x0, #0x1000
	mov x1, #0x1001
	mov x2, #0x1002
	mov x3, #0x1003
	mov x4, #0x1004
	mov x5, #0x1005
	mov x6, #0x1006
	mov x7, #0x1007
	mov x8, #0x1008
	mov x9, #0x1009
	mov x10, #0x100a
	mov x11, #0x100b
	mov x12, #0x100c
	mov x13, #0x100d
	mov x14, #0x100e
	mov x15, #0x100f
	mov x16, #0x1010
	mov x17, #0x1011
	mov x18, #0x1012
	mov x19, #0x1013
	mov x20, #0x1014
	mov x21, #0x1015
	mov x22, #0x1016
	mov x23, #0x1017
	mov x24, #0x1018
	mov x25, #0x1019
	mov x26, #0x101a
	mov x27, #0x101b
	mov x28, #0x101c
	mov x29, #0x101d
	mov x30, #0x101e
1:	b 1b
.section .note.GNU-stack,"",%progbits
