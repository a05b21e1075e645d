package text

import (
	"strings"

	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/words"
)

// startupLen returns the number of frames at the start of a stack, outermost first,
// through which the thread only reached its own first function. The innermost frame
// is never one of them.
func startupLen(stack []*profile.Node) (n int) {
	for i := 0; i < len(stack)-1 && !stack[i].Kernel && isPlain(stack[i]) && (i == 0 || onlyCalls(stack[i-1], stack[i])); i++ {
		switch f := stack[i]; {
		case owncode.IsStartup(&f.Location), isRustMain(f, stack[i+1]), owncode.IsPythonStartup(stack, i):
			n = i + 1
		case f.Function != "" || f.Image == nil || f.Image.Main && i > 0: // the program's outermost function, if it has no name, is _start
			return n
		}
	}
	return n
}

// isRustMain reports whether a frame is the main function that Rust's compiler
// generates, which starts Rust's runtime.
func isRustMain(n, callee *profile.Node) bool {
	return n.Function == "main" && strings.HasPrefix(callee.Function, "std::rt::lang_start")
}

// startupRun returns the frames at the start of a branch that share a line in the tree; none if
// that would save no line.
func (p *printer) startupRun(chain []*profile.Node, at words.Position) []*profile.Node {
	if n := startupLen(chain); at.Depth == 0 && n > 1 && !p.everyFrame && !p.IsInverted() {
		return chain[:n]
	}
	return nil
}

// startup writes the line of frames in which a thread only started.
func (p *printer) startup(run []*profile.Node, at words.Position) {
	lead := p.weight(run[0]) + p.Indent(at)
	p.Line("%s%s", lead, p.run(run, " → ", p.width()-words.Columns(lead)))
}
