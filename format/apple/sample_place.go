package apple

import (
	"fmt"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// place identifies a line of the call graph among those below one caller. Nodes of
// the profile with the same place share a line.
type place struct {
	function string
	overload string
	image    *profile.Image
	pc       task.Addr // any address; for a leaf, the function's start
	offset   uint64
	file     string
	line     int
	column   int // 0: not known
	inlined  bool
	kernel   bool
	guess    bool
	leaf     bool // it has a name and was innermost
}

// placeOf returns the place of a node, either as a caller or as the innermost frame.
// As the innermost frame, a named function has one place for all its addresses.
func placeOf(n *profile.Node, innermost bool) place {
	p := place{
		function: n.Function, overload: n.Overload, image: n.Image, pc: n.PC, offset: n.Offset,
		file: n.File, line: n.Line, inlined: n.Inlined, kernel: n.Kernel, guess: n.By.Guess(),
	}
	if p.leaf = innermost && n.Function != "" && n.Function != profile.Trampoline && (!n.Placeless() || len(n.Also) > 0); p.leaf {
		p.pc, p.offset = n.PC-task.Addr(n.Offset), 0
	}
	return p
}

// label returns the text for a place at the given addresses.
func (p *place) label(offsets []uint64, pcs []task.Addr, more bool) label {
	l := label{symbol: p.symbol(), image: imageName(p.image), offsets: offsets, pcs: pcs, more: more}
	switch {
	case p.function != "" && p.pc == 0 && p.image == nil: // a text, not a place
		return label{symbol: l.symbol}
	case p.inlined, p.function == profile.Trampoline:
		l.offsets = nil
	case p.function == "" && p.pc == 0 && p.image == nil:
		return label{symbol: task.Addr(0).String()}
	case p.function == "" && p.image == nil:
		l.offsets = nil
	case p.function == "":
		l.load, l.hasLoad, l.offsets = p.image.Load, true, []uint64{uint64(p.pc - p.image.Load)}
	}
	l.file, l.line = notation.SourceFile(p.file), p.line
	return l
}

// name returns the text for a place by itself.
func (p *place) name() string {
	l := p.label([]uint64{p.offset}, []task.Addr{p.pc}, false)
	return l.String()
}

// withoutOffset returns the text for a function without its addresses.
func (p *place) withoutOffset() string {
	if p.function == "" {
		return p.name()
	}
	l := p.label(nil, nil, false)
	l.file = ""
	return l.String()
}

// symbol returns the function's name, made safe for a line, and without text that a
// reader would take for the parts after it.
func (p *place) symbol() string {
	if p.function == "" && p.kernel {
		return notation.Unknown + notation.KernelMark
	}
	if p.function == "" {
		return notation.Unknown
	}
	s := notation.Plain(p.function)
	if p.inlined {
		s += notation.InlinedMark
	}
	if p.kernel {
		s += notation.KernelMark
	}
	if p.guess {
		s += guessMark
	}
	return s
}

// guessMark is written after the name of a frame that may not exist.
const guessMark = " (guess)"

// unmark removes the marks that [place.symbol] adds to a symbol, and sets what they
// mean in the node.
func unmark(n *profile.Node, symbol string) string {
	symbol, guess := strings.CutSuffix(symbol, guessMark)
	if guess {
		n.By = unwind.ByScan
	}
	symbol, n.Kernel = strings.CutSuffix(symbol, notation.KernelMark)
	symbol, n.Inlined = strings.CutSuffix(symbol, notation.InlinedMark)
	return symbol
}

func imageName(im *profile.Image) string {
	switch {
	case im == nil:
		return unknownBinary
	case im.Name() == "":
		return fmt.Sprintf("image at %v", im.Load)
	}
	return notation.Plain(im.Name())
}
