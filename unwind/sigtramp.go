package unwind

import (
	"bytes"
	"slices"
	"strings"

	"stacksnap/images"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// sigtramp knows _sigtramp, libplatform's function that Darwin's kernel calls a
// signal handler through. No unwind information leads from it to the interrupted
// function as it stood: on ARM64 it is plain C, and looks as if that function
// had called it; on AMD64 its call frame information holds only from the middle
// on, and adds one to the pc. It is a rule.Source.
type sigtramp struct {
	body   []rule.Source // that know _sigtramp's own frame, for a call in it
	code   rule.Source   // that knows it anywhere
	images rule.PerImage[hasSigtramp]
}

type hasSigtramp bool

// find goes by the name of the library, whose symbols are then looked at.
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

// What the kernel lays out for a handler (xnu bsd/dev/{arm,i386}/unix_signal.c,
// bsd/sys/ucontext.h, osfmk/mach/{arm,i386}/_structs.h), in bytes: an mcontext
// is the exception state, then the thread state.
const (
	machSiginfo  = 104 // sizeof(user64_siginfo_t)
	uctxMContext = 48  // offset of uc_mcontext64 in user_ucontext64
	mctxThread   = 16  // offset of the thread state in mcontext64

	uctxMContext32 = 28 // offset of uc_mcontext in user_ucontext32
	mctxThread32   = 12 // offset of the thread state in mcontext32

	// Where the pointer to the ucontext is above the CFA: the fifth argument of
	// _sigtramp, of which I386 passes all on the stack, ARM four in registers.
	i386UContext = 16
	armUContext  = 0
)

// The thread states: ARM64's is x0 … x30, sp, pc; AMD64's rax, rbx, rcx, rdx,
// rdi, rsi, rbp, rsp, r8 … r15, rip; I386's eax, ebx, ecx, edx, edi, esi, ebp, esp,
// ss, eflags, eip; ARM's r0 … r12, sp, lr, pc.
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

// noReg is none of a thread's registers.
const noReg = task.MaxRegisters

// argument is the rule of 32 bits, where the fifth argument is on the stack.
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

// above is ARM64's rule. The kernel leaves sp at its frame { siginfo, ucontext,
// mcontext }, so that it begins where _sigtramp's own frame ends. The pc and the
// pointers in it are signed in an arm64e process.
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

// frame returns _sigtramp's CFA, as a sum.
func (s *sigtramp) frame(q rule.Query) (rule.Value, bool) {
	sources := append([]rule.Source{s.code}, s.body...)
	if !q.First {
		slices.Reverse(sources)
	}
	for _, source := range sources {
		r, err := source.Rule(q)
		if err == nil && r.Wide == nil && r.CFA.How == rule.Sum {
			return r.CFA, true
		}
	}
	return rule.Value{}, false
}

// amd64Keeps is mov %r8, %rbx in either encoding: libplatform's _sigtramp keeps
// the ucontext, its fifth argument, there.
var amd64Keeps = [][]byte{{0x4c, 0x89, 0xc3}, {0x49, 0x8b, 0xd8}}

// maxSigtramp bounds how far into _sigtramp that instruction is looked for.
const maxSigtramp = 64

// inRegister is AMD64's rule: the ucontext is in r8 until it is in rbx.
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
