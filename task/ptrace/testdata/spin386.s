# An i386 program that spins with a known value in each register.
	.globl _start
_start:
	movl $0x11111111, %eax
	movl $0x22222222, %ecx
	movl $0x33333333, %edx
	movl $0x44444444, %ebx
	movl $0x55555555, %ebp
	movl $0x66666666, %esi
	movl $0x77777777, %edi
1:	jmp 1b
