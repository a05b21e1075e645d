# A 32-bit program that spins in the handler of a signal that came while work ran, and
# whose code to return from handlers has no unwind information, as musl's, or with two
# arguments and more is the kernel's own, in its vdso. With one argument or three the
# handler is one of three arguments (SA_SIGINFO).
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined eip
	movl $4, %eax		# write
	movl $1, %ebx
	movl $ready, %ecx
	movl $6, %edx
	int $0x80
	movl (%esp), %esi
	call work
	hlt
	.cfi_endproc
	.size _start, .-_start

	.type work, @function
work:
	.cfi_startproc
	pushl %ebp
	.cfi_def_cfa_offset 8
	.cfi_offset ebp, -8
	decl %esi
	movl actions(,%esi,4), %ecx
	movl $67, %eax		# sigaction
	movl $10, %ebx		# SIGUSR1
	xorl %edx, %edx
	testl $1, %esi
	jz 2f
	movl $174, %eax		# rt_sigaction
	movl $8, %esi
2:	int $0x80
	movl $20, %eax		# getpid
	int $0x80
	movl %eax, %ebx
	movl $37, %eax		# kill
	movl $10, %ecx
	xorl %ebp, %ebp
	int $0x80
	hlt
	.cfi_endproc
	.size work, .-work

	.type handler, @function
handler:
	.cfi_startproc
	subl $12, %esp
	.cfi_def_cfa_offset 16
3:	jmp 3b
	.cfi_endproc
	.size handler, .-handler

	nop
	.type returns, @function
returns:
	popl %eax
	movl $119, %eax
	int $0x80
	.size returns, .-returns

	nop
	.type rt_returns, @function
rt_returns:
	movl $173, %eax
	int $0x80
	.size rt_returns, .-rt_returns

	.section .rodata
ready:	.ascii "ready\n"

	.data
actions: .long classic, modern, kernel_classic, kernel_modern
classic:			# handler, mask, flags, restorer
	.long handler, 0, 0x04000000, returns
modern:				# handler, flags, restorer, mask
	.long handler, 0x04000004, rt_returns, 0, 0
kernel_classic:
	.long handler, 0, 0, 0
kernel_modern:
	.long handler, 4, 0, 0, 0
