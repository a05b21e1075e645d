package apple

import (
	"fmt"
	"strings"

	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// place is what one line of the call graph stands for, under one caller. Two nodes of
// the profile with the same place are one line.
type place struct {
	function string
	overload string
	image    *profile.Image
	pc       task.Addr // of a leaf with a name the function's start: any address of it
	offset   uint64
	file     string
	line     int
	column   int // where that is told
	inlined  bool
	kernel   bool
	guess    bool
	leaf     bool // it has a name and was innermost
}

// placeOf is the place of a node, as what calls others or as what was innermost.
// Functions that have a name are innermost by themselves, wherever in them that was.
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

// label is the text for a place at some of its addresses.
func (p *place) label(offsets []uint64, pcs []task.Addr, more bool) label {
	l := label{symbol: p.symbol(), image: imageName(p.image), offsets: offsets, pcs: pcs, more: more}
	switch {
	case p.function != "" && p.pc == 0 && p.image == nil: // a text that stands for no place
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

// name is the label of a place by itself.
func (p *place) name() string {
	l := p.label([]uint64{p.offset}, []task.Addr{p.pc}, false)
	return l.String()
}

// withoutOffset is the label of a function without the addresses in it.
func (p *place) withoutOffset() string {
	if p.function == "" {
		return p.name()
	}
	l := p.label(nil, nil, false)
	l.file = ""
	return l.String()
}

// symbol is the function's name, safe in a line, and with no text in it that a
// reader would take for what follows.
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

// guessMark is written behind the name of a frame that may not exist.
const guessMark = " (guess)"

// unmark cuts the marks that [place.symbol] writes off a symbol, and sets what they mean in the
// node.
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
