package unwind

import (
	"bytes"
	"encoding/binary"

	"stacksnap/images/code/x86"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// threadEnd recognises a thread's outermost frame by the code around its call, where
// there is no unwind information and often no name, as in musl. The caller of a
// thread's function ends the thread afterwards (clone), and the caller of a program's
// first function begins by clearing the frame pointer and aligning the stack
// (_start). It is a [rule.Source].
type threadEnd struct{}

// Rule implements [rule.Source].
func (threadEnd) Rule(q rule.Query) (rule.Rule, error) {
	if q.First || q.Image == nil {
		return rule.Rule{}, rule.ErrNone
	}
	var b [maxThreadEnd]byte
	n, _ := q.Code.ReadMemory(b[:], q.PC+1)
	switch {
	case ends(q.Arch, b[:n]):
		return rule.Bottom(), nil
	case q.Arch == task.AMD64 && q.PC >= maxStart:
		var b [maxStart]byte
		if task.ReadFull(q.Code, b[:], q.PC+1-maxStart) == nil && startsAMD64(b[:]) {
			return rule.Bottom(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

// maxThreadEnd is how many bytes of code after the call are examined: mov %eax, %edi;
// xor %eax, %eax; mov $60, %al; syscall; hlt have nine.
const maxThreadEnd = 24

// maxStart is how many bytes up to the end of the call are examined.
const maxStart = 48

// The number of the system call exit (asm/unistd.h).
const (
	exitAMD64 = 60
	exitARM64 = 93
)

// ends reports whether the code after a call ends the thread.
func ends(a task.Arch, code []byte) bool {
	switch a {
	case task.AMD64:
		return endsAMD64(code)
	case task.ARM64:
		return endsARM64(code)
	case task.I386:
		return bytes.HasPrefix(code, exitI386)
	case task.ARM:
		return bytes.HasPrefix(code, exitARM)
	}
	return false
}

// The code after the call in musl's clone: mov %eax, %ebx; xor %eax, %eax; inc %eax;
// int $0x80 on I386; mov r7, #1; svc #0 on ARM, where the result already is the
// argument.
var (
	exitI386 = []byte{0x89, 0xc3, 0x31, 0xc0, 0x40, 0xcd, 0x80}
	exitARM  = []byte{1, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}
)

// endsAMD64 reports whether the code passes the call's result to the system call
// exit:
//
//	mov %rax, %rdi; mov $60, %eax; syscall
//	mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall
func endsAMD64(code []byte) bool {
	passed, number := false, int64(-1)
	var i x86.Inst
	for off := uint32(0); i.Decode(code, off); off += i.Size {
		switch {
		case i.Op == 0x0f05:
			return passed && number == exitAMD64
		case i.Op == 0x89 && i.ModRM == 0xc7: // mov %rax, %rdi
			passed = true
		case i.Op == 0xb8, i.Op == 0xb0: // mov $n, %eax or %al
			number = i.Imm
		case i.Op == 0x31 && i.ModRM == 0xc0: // xor %eax, %eax
			number = 0
		default:
			return false
		}
	}
	return false
}

// endsARM64 reports whether the code is mov w8, #93; svc #0. The call's result
// already is the argument.
func endsARM64(code []byte) bool {
	return len(code) >= 8 && binary.LittleEndian.Uint32(code)&^(1<<31) == 0x52800008|exitARM64<<5 &&
		binary.LittleEndian.Uint32(code[4:]) == 0xd4000001
}

// startsAMD64 reports whether code ends as _start does, without a jump or another
// call in between:
//
//	xor %ebp, %ebp; …; and $-16, %rsp; …; call
func startsAMD64(code []byte) bool {
	from := bytes.LastIndex(code, clearsFP)
	if from < 0 {
		return false
	}
	var i x86.Inst
	aligned := false
	for off := uint32(from); i.Decode(code, off); off += i.Size {
		end := int(off+i.Size) == len(code)
		switch {
		case i.Flow() == x86.Call:
			return end && aligned
		case i.Flow() != x86.Next:
			return false
		case i.Op == 0x83 && i.ModRM == 0xe4: // and $n, %rsp
			aligned = true
		}
	}
	return false
}

// birth is the rule of code that runs in the parent and in the new thread after
// clone. In the new thread the stack is empty; in the parent, the rule parent
// applies.
type birth struct {
	parent rule.Rule
	result task.Reg // 0 in the new thread
}

// Apply implements [rule.Expression].
func (b *birth) Apply(s *rule.State) error {
	if v, ok := s.Regs.Value(b.result); ok && v == 0 {
		return rule.ErrOutermost
	}
	return s.Apply(&b.parent)
}

// births recognises the code between the system call clone or clone3 and where the
// new thread clears its frame pointer. Call frame information there, if any, is the
// parent's. It is a [rule.Source].
type births struct{}

// maxBirth is how many bytes before and after the pc are examined.
const maxBirth = 16

// How C libraries test clone's result, up to where the new thread clears its frame
// pointer:
//
//	glibc  test %rax, %rax; jl error; je 1f; ret; 1: xor %ebp, %ebp
//	musl   test %eax, %eax; jnz 1f; xor %ebp, %ebp
var (
	syscallAMD64 = []byte{0x0f, 0x05}
	clearsFP     = []byte{0x31, 0xed}
	testsResult  = [][]byte{{0x48, 0x85, 0xc0}, {0x85, 0xc0}}
)

// Rule implements [rule.Source].
func (births) Rule(q rule.Query) (rule.Rule, error) {
	if !q.First || q.Arch != task.AMD64 || q.Image == nil || q.PC < maxBirth {
		return rule.Rule{}, rule.ErrNone
	}
	var b [2 * maxBirth]byte
	if task.ReadFull(q.Code, b[:], q.PC-maxBirth) != nil || !bornAMD64(b[:]) {
		return rule.Rule{}, rule.ErrNone
	}
	return rule.Rule{Expression: &birth{parent: rule.Frameless(q.Arch, 0), result: 0}}, nil
}

// bornAMD64 reports whether the middle of code is after the system call and not past
// the instruction with which the new thread clears its frame pointer.
func bornAMD64(code []byte) bool {
	at := bytes.LastIndex(code[:maxBirth], syscallAMD64)
	if at < 0 {
		return false
	}
	behind := code[at+len(syscallAMD64):]
	for _, test := range testsResult {
		if bytes.HasPrefix(behind, test) {
			clear := bytes.Index(behind, clearsFP)
			return clear >= 0 && at+len(syscallAMD64)+clear >= maxBirth
		}
	}
	return false
}
