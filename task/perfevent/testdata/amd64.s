# A program that runs for ever,
# with 0x1000 and its DWARF number in every register but the stack pointer.
.globl _start
_start:
	mov $0x1000, %rax
	mov $0x1001, %rdx
	mov $0x1002, %rcx
	mov $0x1003, %rbx
	mov $0x1004, %rsi
	mov $0x1005, %rdi
	mov $0x1006, %rbp
	mov $0x1008, %r8
	mov $0x1009, %r9
	mov $0x100a, %r10
	mov $0x100b, %r11
	mov $0x100c, %r12
	mov $0x100d, %r13
	mov $0x100e, %r14
	mov $0x100f, %r15
1:	jmp 1b
.section .note.GNU-stack,"",@progbits
