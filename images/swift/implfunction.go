package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// Conventions of functions in SIL, the intermediate language: how they are called,
// take parameters and return results.
var (
	calleeConventions = [128]string{
		'y': "@callee_unowned", 'g': "@callee_guaranteed", 'x': "@callee_owned", 't': "@convention(thin)",
	}
	parameterConventions = [128]string{
		'i': "@in", 'c': "@in_constant", 'l': "@inout", 'b': "@inout_aliasable", 'n': "@in_guaranteed", 'X': "@in_cxx",
		'x': "@owned", 'g': "@guaranteed", 'e': "@deallocating", 'y': "@unowned", 'v': "@pack_owned",
		'p': "@pack_guaranteed", 'm': "@pack_inout",
	}
	resultConventions = [128]string{
		'r': "@out", 'o': "@owned", 'd': "@unowned", 'u': "@unowned_inner_pointer", 'a': "@autoreleased",
		'k': "@pack_out", 'l': "@guaranteed_address", 'g': "@guaranteed", 'm': "@inout",
	}
	functionConventions = [128]string{
		'B': "block", 'C': "c", 'M': "method", 'O': "objc_method", 'K': "closure", 'W': "witness_method",
	}
	coroutineKinds     = [128]string{'A': "@yield_once", 'I': "@yield_once_2", 'G': "@yield_many"}
	differentiabilites = [128]string{
		'd': "@differentiable", 'l': "@differentiable(_linear)", 'f': "@differentiable(_forward)", 'r': "@differentiable(reverse)",
	}
)

// implFunctionType reads the type of a SIL function: attributes, then parameters and
// results, whose types are on the stack.
func (p *parser) implFunctionType() *tree.Node {
	f := p.Leaf(tree.ImplFunctionType)
	if f == nil || !p.implSubstitutions(f) {
		return nil
	}
	signature := p.pop(tree.GenericSignature)
	if signature != nil {
		p.Accept('P') // pseudogeneric: printed like other generic functions
	}
	if !p.implAttributes(f) {
		return nil
	}
	tree.AddIf(f, signature)
	first := len(f.Children)
	if !p.implParameters(f) {
		return nil
	}
	for i := len(f.Children) - 1; i >= first; i-- {
		if tree.Add(f.Children[i], p.popType()) == nil {
			return nil
		}
	}
	return p.Typed(f)
}

// implSubstitutions reads the substitutions for the parameters of the pattern, and
// for those of the function's own signature.
func (p *parser) implSubstitutions(f *tree.Node) bool {
	if p.Accept('s') {
		lists, conformances, ok := p.popArguments()
		if !ok {
			return false
		}
		s := p.Node(tree.ImplPatternSubstitutions, p.pop(tree.GenericSignature), lists[0])
		tree.AddIf(s, conformances)
		if tree.Add(f, s) == nil {
			return false
		}
	}
	if p.Accept('I') {
		lists, conformances, ok := p.popArguments()
		if !ok || len(lists) != 1 {
			return false
		}
		s := p.Node(tree.ImplInvocationSubstitutions, lists[0])
		tree.AddIf(s, conformances)
		return tree.Add(f, s) != nil
	}
	return true
}

// implAttributes reads the attributes that are printed before the parameters.
func (p *parser) implAttributes(f *tree.Node) bool {
	p.implAttribute(f, p.Accept('e'), "@escaping")
	p.implAttribute(f, p.Accept('A'), "@isolated(any)")
	p.implAttributeOf(f, &differentiabilites)
	convention := tree.At(&calleeConventions, p.Next())
	if convention == "" {
		return false
	}
	p.implAttribute(f, true, convention)
	if !p.implFunctionConvention(f) {
		return false
	}
	p.implAttributeOf(f, &coroutineKinds)
	p.implAttribute(f, p.Accept('h'), "@Sendable")
	p.implAttribute(f, p.Accept('H'), "@async")
	if p.Accept('T') {
		tree.AddIf(f, p.Leaf(tree.ImplSendingResult))
	}
	return true
}

func (p *parser) implAttribute(f *tree.Node, has bool, text string) {
	if has {
		tree.AddIf(f, p.WithText(tree.ImplAttribute, text))
	}
}

// implAttributeOf reads at most one attribute from a table.
func (p *parser) implAttributeOf(f *tree.Node, texts *[128]string) {
	if text := tree.At(texts, p.Peek()); text != "" {
		p.Pos++
		p.implAttribute(f, true, text)
	}
}

// implFunctionConvention reads a foreign convention. If a z precedes it, the
// function's C type follows.
func (p *parser) implFunctionConvention(f *tree.Node) bool {
	withType := p.Peek() == 'z' && p.Pos+1 < len(p.Name) && (p.Name[p.Pos+1] == 'B' || p.Name[p.Pos+1] == 'C')
	if withType {
		p.Pos++
	}
	name := tree.At(&functionConventions, p.Peek())
	if name == "" {
		return true
	}
	p.Pos++
	text := "@convention(" + name
	if withType {
		clang := p.clangType()
		if clang == nil {
			return false
		}
		text += ", mangledCType: \"" + clang.Text + "\""
	}
	p.implAttribute(f, true, text+")")
	return true
}

// implParameters reads the conventions of the parameters, results, yields and the
// error result.
func (p *parser) implParameters(f *tree.Node) bool {
	for n := p.implParameter(); n != nil; n = p.implParameter() {
		tree.AddIf(f, n)
	}
	for n := p.implResult(""); n != nil; n = p.implResult("") {
		tree.AddIf(f, n)
	}
	for p.Accept('Y') {
		convention := p.convention(&parameterConventions)
		if convention == nil || tree.Add(f, p.implValue(tree.ImplResult, "@yields ", convention)) == nil {
			return false
		}
	}
	if p.Accept('z') {
		convention := p.convention(&resultConventions)
		if convention == nil || tree.Add(f, p.implValue(tree.ImplResult, "@error ", convention)) == nil {
			return false
		}
	}
	return p.Accept('_')
}

// convention reads a convention in the table, nil if none follows.
func (p *parser) convention(table *[128]string) *tree.Node {
	text := tree.At(table, p.Peek())
	if text == "" {
		return nil
	}
	p.Pos++
	return p.WithText(tree.Text, text)
}

// implValue makes a parameter or result. The caller adds its type.
func (p *parser) implValue(k tree.Kind, before string, convention *tree.Node) *tree.Node {
	return p.WithText(k, before, convention)
}

// parameterMarks are the flags of a parameter, in the order in which they are mangled.
var parameterMarks = [...]struct {
	mark byte
	text string
}{
	{'w', tree.NoDerivativeMark}, {'T', "sending "}, {'I', "isolated "}, {'L', "sil_implicit_leading_param "},
}

func (p *parser) implParameter() *tree.Node {
	n := p.implValue(tree.ImplParameter, "", p.convention(&parameterConventions))
	if n == nil {
		return nil
	}
	for _, m := range parameterMarks {
		if p.Accept(m.mark) {
			tree.AddIf(n, p.WithText(tree.Text, m.text))
		}
	}
	return n
}

func (p *parser) implResult(before string) *tree.Node {
	n := p.implValue(tree.ImplResult, before, p.convention(&resultConventions))
	if n != nil && p.Accept('w') {
		tree.AddIf(n, p.WithText(tree.Text, tree.NoDerivativeMark))
	}
	return n
}
