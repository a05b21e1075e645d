package unwind

import (
	"strings"
	"sync"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
	"stacksnap/unwind/runtimes/goswitch"
)

// goRuntime recognises the functions of Go's runtime at which a stack begins, and
// those that run their callee on another stack and keep the old frame pointer. Call
// frame information says nothing of either. It is a [rule.Source].
type goRuntime struct {
	images rule.PerImage[isGo]
}

// goTops recognises the functions of Go's runtime at which a stack begins unless C
// called them. It is a [rule.Source], queried after all others.
type goTops struct {
	images rule.PerImage[isGo]
}

type isGo bool

// goEnds are the functions that have no caller: where goroutines and threads end, and
// those that abandon the stack they were called on.
var goEnds = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"runtime.goexit":    true,
		"runtime.clone":     true,
		"runtime.mcall":     true,
		"runtime.morestack": true,
	}
})

// goStarts are marked TOPFRAME in the runtime's assembly. With cgo they do have
// callers.
var goStarts = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"runtime.mstart":    true,
		"runtime.rt0_go":    true,
		"_rt0_amd64":        true,
		"_rt0_amd64_linux":  true,
		"_rt0_arm64_linux":  true,
		"_rt0_amd64_darwin": true,
		"_rt0_arm64_darwin": true,
	}
})

// goSwitches run their callee on the thread's stack, with the frame pointer
// still on the goroutine's (runtime/asm_amd64.s, asm_arm64.s).
var goSwitches = map[string]bool{"runtime.systemstack": true}

// goAway finds the goroutine that called C on the thread's stack. It is a
// [rule.Source].
type goAway struct {
	images rule.PerImage[isGo]
}

// Rule implements [rule.Source].
func (g *goAway) Rule(q rule.Query) (rule.Rule, error) {
	if q.First || goFunction(&g.images, &q) != "runtime.asmcgocall" {
		return rule.Rule{}, rule.ErrNone
	}
	start, ok := functionStart(q.Image, q.PC)
	if !ok {
		return rule.Rule{}, rule.ErrNone
	}
	return goswitch.Rule(&q, start)
}

// Rule implements [rule.Source].
func (g *goRuntime) Rule(q rule.Query) (rule.Rule, error) {
	name := goFunction(&g.images, &q)
	switch {
	case q.First:
	case goEnds()[name]:
		return rule.Bottom(), nil
	case goSwitches[name]:
		return switched(q.Arch), nil
	}
	return rule.Rule{}, rule.ErrNone
}

// Rule implements [rule.Source].
func (g *goTops) Rule(q rule.Query) (rule.Rule, error) {
	if goStarts()[goFunction(&g.images, &q)] {
		return rule.Bottom(), nil
	}
	return rule.Rule{}, rule.ErrNone
}

// goStarted finds the caller of runtime.mstart, which exists on threads that cgo
// created. mstart makes no frame and clears the frame pointer, so that no other
// source finds it (runtime/asm_amd64.s). It is a [rule.Source].
type goStarted struct {
	images rule.PerImage[isGo]
}

// Rule implements [rule.Source].
func (g *goStarted) Rule(q rule.Query) (rule.Rule, error) {
	if q.First || q.Arch != task.AMD64 || goFunction(&g.images, &q) != "runtime.mstart" {
		return rule.Rule{}, rule.ErrNone
	}
	r := rule.Frameless(q.Arch, 0)
	r.Flags |= rule.Unproven
	r.Save(q.Arch.FP(), rule.Value{})
	return r, nil
}

// goFunction returns the name of the function at q.PC if a Go program has it, else
// "".
func goFunction(images *rule.PerImage[isGo], q *rule.Query) string {
	if q.Image == nil || q.Image.File == nil || !*images.Of(q.Image, (*isGo).find) {
		return ""
	}
	sym, _ := q.Image.File.Symbol(q.VMAddr())
	return strings.TrimSuffix(sym.Name, ".abi0")
}

func (g *isGo) find(im *images.Image) {
	_, err := im.File.Section(object.GoPCLnTab)
	*g = err == nil
}

// switched is the rule of a function that made a frame record and then switched
// stacks. On ARM64 Go puts the record below the frame, which has 16 bytes here:
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
