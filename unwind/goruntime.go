package unwind

import (
	"strings"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// goRuntime knows the functions of Go's runtime at which a stack begins, or that
// run their callee on another stack: neither call frame information nor the
// frame-pointer chain tells. It is a rule.Source.
type goRuntime struct {
	images rule.PerImage[isGo]
}

type isGo bool

// goEnds are the functions at which a stack begins: those marked TOPFRAME in
// the runtime's assembly, and those that abandon the stack they were called on.
var goEnds = map[string]bool{
	"runtime.goexit":      true, // of every goroutine
	"runtime.rt0_go":      true, // of the first thread
	"runtime.mstart":      true, // of every other
	"runtime.mcall":       true, // goes to the thread's stack for good
	"runtime.morestack":   true, // likewise
	"_rt0_amd64":          true,
	"_rt0_amd64_linux":    true,
	"_rt0_arm64_linux":    true,
	"_rt0_amd64_darwin":   true,
	"_rt0_arm64_darwin":   true,
	"runtime.mstart_stub": true,
}

// goSwitches run their callee on the thread's stack, with the frame pointer
// still on the goroutine's (runtime/asm_amd64.s, asm_arm64.s).
var goSwitches = map[string]bool{
	"runtime.systemstack": true,
	"runtime.asmcgocall":  true,
}

// Rule implements [rule.Source].
func (g *goRuntime) Rule(q rule.Query) (rule.Rule, error) {
	if q.Image == nil || q.Image.File == nil || !*g.images.Of(q.Image, (*isGo).find) {
		return rule.Rule{}, rule.ErrNone
	}
	sym, ok := q.Image.File.Symbol(q.VMAddr())
	if !ok {
		return rule.Rule{}, rule.ErrNone
	}
	name := strings.TrimSuffix(sym.Name, ".abi0")
	switch {
	case goEnds[name] && !q.First:
		return rule.Bottom(), nil
	case goSwitches[name] && !q.First:
		return switched(q.Arch), nil
	}
	return rule.Rule{}, rule.ErrNone
}

func (g *isGo) find(im *images.Image) {
	_, err := im.File.Section(object.GoPCLnTab)
	*g = err == nil
}

// switched is the rule of a function that has switched stacks behind its frame
// record. On ARM64 Go puts the record below the frame, of 16 bytes here:
//
//	AMD64: cfa = fp + 16; fp = *(cfa - 16); pc = *(cfa - 8)
//	ARM64: cfa = fp + 24; fp = *(cfa - 24); pc = *(cfa - 16)
func switched(a task.Arch) rule.Rule {
	r := rule.FramePointer(a)
	if a == task.ARM64 {
		r = rule.Rule{CFA: rule.Add(a.FP(), 24), RA: rule.At(rule.CFA, -16)}
		r.Save(a.FP(), rule.At(rule.CFA, -24))
	}
	r.Flags |= rule.OtherStack
	return r
}
