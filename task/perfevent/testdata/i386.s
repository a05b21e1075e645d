# A 32-bit program that runs for ever,
# with 0x1000 and its DWARF number in every register but the stack pointer.
.globl _start
_start:
	mov $0x1000, %eax
	mov $0x1001, %ecx
	mov $0x1002, %edx
	mov $0x1003, %ebx
	mov $0x1005, %ebp
	mov $0x1006, %esi
	mov $0x1007, %edi
1:	jmp 1b
.section .note.GNU-stack,"",@progbits
