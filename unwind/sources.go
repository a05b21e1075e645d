package unwind

import (
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/unwind/analysis"
	"stacksnap/unwind/cfi"
	"stacksnap/unwind/compact"
	"stacksnap/unwind/exidx"
	"stacksnap/unwind/rule"
)

// Sources returns new sources for any target, the most trusted first. What they
// learn of an image they keep as long as the image lives.
//
// The tables of Mach-O describe a function's body, so that where a function may
// stand in its prologue or epilogue its instructions come before them. Those of
// ELF are exact at every instruction, and instructions come after; but 32-bit ARM has
// tables of bodies alone.
func Sources() []Ranked {
	tables := new(compact.Source)
	throws := new(exidx.Source)
	code := &analysis.Source{Extents: []analysis.Extents{tables, throws}}
	frames := &cfi.Source{Hints: tables}
	return []Ranked{
		{ByAnalysis, new(sigreturn)},
		{ByAnalysis, &sigtramp{code: code, body: []rule.Source{frames, tables}}},
		{ByFramePointer, new(outermost)},
		{ByFramePointer, new(goRuntime)},
		{ByAnalysis, new(goAway)},
		{ByAnalysis, births{}},
		{ByAnalysis, &interrupted{code: code}},
		{ByAnalysis, described{tables}},
		{ByCompact, tables},
		{ByCFI, frames},
		{ByAnalysis, threadEnd{}},
		{ByExIdx, inCall{throws}},
		{ByAnalysis, code},
		{ByAnalysis, new(functionEntry)},
		{ByAnalysis, new(goStarted)},
		{ByFramePointer, new(goTops)},
		{ByExIdx, throws},
	}
}

// inCall asks a source of functions' bodies about those alone that stand in a call. It
// is a rule.Source.
type inCall struct{ of rule.Source }

// Rule implements [rule.Source].
func (s inCall) Rule(q rule.Query) (rule.Rule, error) {
	if q.First {
		return rule.Rule{}, rule.ErrNone
	}
	return s.of.Rule(q)
}

// interrupted asks code about functions that were interrupted, in images whose
// tables do not describe prologues and epilogues, and about those that call out
// of their prologue or epilogue. It is a rule.Source.
type interrupted struct {
	code   *analysis.Source
	images rule.PerImage[isMachO]
}

type isMachO bool

// Rule implements [rule.Source].
func (i *interrupted) Rule(q rule.Query) (rule.Rule, error) {
	if q.Image == nil || q.Image.File == nil || !bool(*i.images.Of(q.Image, (*isMachO).find)) {
		return rule.Rule{}, rule.ErrNone
	}
	if !q.First && !i.code.Aside(&q) {
		return rule.Rule{}, rule.ErrNone
	}
	return i.code.Rule(q)
}

// find goes by the segment that every Mach-O image has, and no ELF file.
func (m *isMachO) find(im *images.Image) {
	*m = isMachO(isMachOFile(im.File))
}

func isMachOFile(f object.File) bool {
	for _, s := range f.Segments() {
		if s.Name == "__TEXT" {
			return true
		}
	}
	return false
}
