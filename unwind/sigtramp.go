package unwind

import (
	"bytes"
	"slices"
	"strings"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// sigtramp recognises _sigtramp in libplatform, through which Darwin's kernel calls
// signal handlers. No unwind information gives the interrupted function's registers:
// on ARM64 _sigtramp is plain C and looks like a callee of that function; on AMD64
// its call frame information is valid only from the middle on, and adds one to the
// pc. It is a [rule.Source].
type sigtramp struct {
	body   []rule.Source // rules for _sigtramp's own frame while it is in a call
	code   rule.Source   // rules for its frame at any instruction
	images rule.PerImage[hasSigtramp]
}

type hasSigtramp bool

// find decides by the library's name. The symbols are checked later.
func (h *hasSigtramp) find(im *images.Image) {
	name := im.Name()
	*h = hasSigtramp(strings.HasPrefix(name, "libsystem_platform") || strings.HasPrefix(name, "libSystem"))
}

// Rule implements [rule.Source].
func (s *sigtramp) Rule(q rule.Query) (rule.Rule, error) {
	if q.Image == nil || q.Image.File == nil || !bool(*s.images.Of(q.Image, (*hasSigtramp).find)) {
		return rule.Rule{}, rule.ErrNone
	}
	sym, ok := q.Image.File.Symbol(q.VMAddr())
	if !ok || sym.Name != "_sigtramp" {
		return rule.Rule{}, rule.ErrNone
	}
	switch q.Arch {
	case task.ARM64:
		return s.above(q)
	case task.AMD64:
		return inRegister(&q, q.Image.Addr(sym.VMAddr))
	case task.I386:
		return s.argument(q, i386UContext, machI386)
	case task.ARM:
		return s.argument(q, armUContext, machARM)
	}
	return rule.Rule{}, rule.ErrNone
}

// The kernel's frame for a handler (xnu bsd/dev/{arm,i386}/unix_signal.c,
// bsd/sys/ucontext.h, osfmk/mach/{arm,i386}/_structs.h), in bytes. An mcontext is the
// exception state followed by the thread state.
const (
	machSiginfo  = 104 // sizeof(user64_siginfo_t)
	uctxMContext = 48  // offset of uc_mcontext64 in user_ucontext64
	mctxThread   = 16  // offset of the thread state in mcontext64

	uctxMContext32 = 28 // offset of uc_mcontext in user_ucontext32
	mctxThread32   = 12 // offset of the thread state in mcontext32

	// The offset of the pointer to the ucontext from the CFA. It is _sigtramp's fifth
	// argument: I386 passes all on the stack, ARM four in registers.
	i386UContext = 16
	armUContext  = 0
)

// The order of registers in a thread state: ARM64 has x0 … x30, sp, pc; AMD64 rax,
// rbx, rcx, rdx, rdi, rsi, rbp, rsp, r8 … r15, rip; I386 eax, ebx, ecx, edx, edi,
// esi, ebp, esp, ss, eflags, eip; ARM r0 … r12, sp, lr, pc.
var (
	machARM64 = func() []task.Reg {
		regs := make([]task.Reg, task.ARM64.NumRegisters())
		for i := range regs {
			regs[i] = task.Reg(i)
		}
		return regs
	}()
	machAMD64 = []task.Reg{0, 3, 2, 1, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	machI386  = []task.Reg{0, 3, 1, 2, 7, 6, 5, 4, noReg, noReg, 8}
	machARM   = []task.Reg{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
)

// noReg marks a word that holds none of a thread's registers.
const noReg = task.MaxRegisters

// argument is the rule for 32-bit architectures, where the fifth argument is on the
// stack.
//
//	mcontext = *(*(cfa + at) + 28); the thread state = *(mcontext + 12) …
func (s *sigtramp) argument(q rule.Query, at int32, state []task.Reg) (rule.Rule, error) {
	cfa, ok := s.frame(q)
	if !ok {
		return rule.Rule{}, rule.ErrNone
	}
	c := &rule.Context{
		Base: rule.At(cfa.Base, cfa.Off+at), Path: []int32{uctxMContext32},
		Off: mctxThread32, Regs: state, Flags: rule.Signal | rule.Calling,
	}
	return c.Rule(), nil
}

// above is the rule for ARM64. The kernel leaves sp at its frame { siginfo, ucontext,
// mcontext }, so that frame begins where _sigtramp's own ends. In an arm64e process
// pc and the pointers in it are signed.
//
//	mcontext = *(cfa + 104 + 48); x0 … x30, sp, pc = *(mcontext + 16) …
func (s *sigtramp) above(q rule.Query) (rule.Rule, error) {
	cfa, ok := s.frame(q)
	if !ok {
		return rule.Rule{}, rule.ErrNone
	}
	c := &rule.Context{
		Base: rule.At(cfa.Base, cfa.Off+machSiginfo+uctxMContext),
		Off:  mctxThread, Regs: machARM64, Flags: rule.Signal | rule.Calling | rule.Signed,
	}
	return c.Rule(), nil
}

// frame returns _sigtramp's CFA as register + offset.
func (s *sigtramp) frame(q rule.Query) (rule.Value, bool) {
	sources := append([]rule.Source{s.code}, s.body...)
	if !q.First {
		slices.Reverse(sources)
	}
	for _, source := range sources {
		r, err := source.Rule(q)
		if err == nil && r.Expression == nil && r.CFA.How == rule.Sum {
			return r.CFA, true
		}
	}
	return rule.Value{}, false
}

// amd64Keeps is mov %r8, %rbx in either encoding: libplatform's _sigtramp keeps
// the ucontext, its fifth argument, there.
var amd64Keeps = [][]byte{{0x4c, 0x89, 0xc3}, {0x49, 0x8b, 0xd8}}

// maxSigtramp is how many bytes of _sigtramp are searched for that instruction.
const maxSigtramp = 64

// inRegister is the rule for AMD64: the ucontext is in r8 until it is moved to rbx.
//
//	mcontext = *(rbx + 48); rax … rip = *(mcontext + 16) …
func inRegister(q *rule.Query, start task.Addr) (rule.Rule, error) {
	var b [maxSigtramp]byte
	n, _ := q.Code.ReadMemory(b[:], start)
	for _, mov := range amd64Keeps {
		i := bytes.Index(b[:n], mov)
		switch {
		case i < 0:
		case q.PC < start+task.Addr(i+len(mov)):
			return amd64Context[0].Rule(), nil
		default:
			return amd64Context[1].Rule(), nil
		}
	}
	return rule.Rule{}, rule.ErrNone
}

var amd64Context = [2]*rule.Context{amd64ContextIn(8), amd64ContextIn(3)}

func amd64ContextIn(uctx task.Reg) *rule.Context {
	return &rule.Context{Base: rule.At(uctx, uctxMContext), Off: mctxThread, Regs: machAMD64, Flags: rule.Signal | rule.Calling}
}
