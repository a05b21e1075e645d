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

// Sources returns new sources for any target, the most trusted first. They cache what
// they read of an image for as long as the image lives.
//
// Mach-O tables describe function bodies only, so at an instruction that may be in a
// prologue or epilogue, analysis comes before them. ELF tables are exact at every
// instruction, and analysis comes after them. The tables of 32-bit ARM describe
// bodies only.
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

// inCall restricts a source to frames that are in a call, for tables that describe
// function bodies only. It is a [rule.Source].
type inCall struct{ of rule.Source }

// Rule implements [rule.Source].
func (s inCall) Rule(q rule.Query) (rule.Rule, error) {
	if q.First {
		return rule.Rule{}, rule.ErrNone
	}
	return s.of.Rule(q)
}

// interrupted analyses the code of interrupted functions in Mach-O images, whose
// tables do not describe prologues and epilogues, and of functions that make a call
// within their prologue or epilogue. It is a [rule.Source].
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
	if !q.First && !i.code.OutOfLineCall(&q) {
		return rule.Rule{}, rule.ErrNone
	}
	return i.code.Rule(q)
}

// find decides by the __TEXT segment, which every Mach-O image has and no ELF file.
func (m *isMachO) find(im *images.Image) {
	_, ok := object.TextSegment(im.File)
	*m = isMachO(ok)
}
