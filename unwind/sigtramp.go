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
)

// The thread states: ARM64's is x0 … x30, sp, pc; AMD64's rax, rbx, rcx, rdx,
// rdi, rsi, rbp, rsp, r8 … r15, rip.
var (
	machARM64 = func() []task.Reg {
		regs := make([]task.Reg, task.ARM64.NumRegisters())
		for i := range regs {
			regs[i] = task.Reg(i)
		}
		return regs
	}()
	machAMD64 = []task.Reg{0, 3, 2, 1, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
)

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
