package old

import (
	"stacksnap/images/swift/internal/tree"
)

// Conventions of SIL functions in the mangling before Swift 4: how they are called,
// take parameters and return results.
var (
	calleeConventions = [128]string{
		'd': "@callee_unowned", 'g': "@callee_guaranteed", 'o': "@callee_owned", 't': "@convention(thin)",
	}
	parameterConventions = [128]string{
		'd': "@unowned", 'g': "@guaranteed", 'e': "@deallocating", 'i': "@in", 'l': "@inout", 'o': "@owned",
	}
	resultConventions = [128]string{
		'a': "@autoreleased", 'd': "@unowned", 'D': "@unowned_inner_pointer", 'i': "@out", 'o': "@owned",
	}
	functionConventions = [128]string{
		'b': "block", 'c': "c", 'm': "method", 'O': "objc_method", 'w': "witness_method",
	}
)

// implFunction reads the type of a SIL function.
func (p *parser) implFunction() *tree.Node {
	f := p.Leaf(tree.ImplFunctionType)
	convention := tree.At(&calleeConventions, p.Next())
	if convention == "" {
		return nil
	}
	p.attribute(f, convention)
	if p.Accept('C') {
		name := tree.At(&functionConventions, p.Next())
		if name == "" {
			return nil
		}
		p.attribute(f, "@convention("+name+")")
	}
	if p.Accept('h') {
		p.attribute(f, "@Sendable")
	}
	if p.Accept('H') {
		p.attribute(f, "@async")
	}
	if p.Accept('G') || p.Accept('g') {
		if f = tree.Add(f, p.signature()); f == nil {
			return nil
		}
	}
	if !p.Accept('_') || !p.values(f, tree.ImplParameter, &parameterConventions) || !p.values(f, tree.ImplResult, &resultConventions) {
		return nil
	}
	return f
}

func (p *parser) attribute(f *tree.Node, text string) {
	tree.AddIf(f, p.WithText(tree.ImplAttribute, text))
}

// values reads parameters or results, with their types.
func (p *parser) values(f *tree.Node, k tree.Kind, conventions *[128]string) bool {
	for !p.Accept('_') {
		text := ""
		if k == tree.ImplResult && p.Accept('z') {
			text = "@error "
		}
		convention := tree.At(conventions, p.Next())
		if convention == "" {
			return false
		}
		n := p.Node(k, p.WithText(tree.Text, convention), p.typed())
		if tree.Add(f, n) == nil {
			return false
		}
		n.Text = text
	}
	return true
}

// specializations reads specializations, up to the name of the specialized function.
func (p *parser) specializations(root *tree.Node) bool {
	for {
		if tree.Add(root, p.specialization()) == nil {
			return false
		}
		p.substitutions = p.substitutions[:0]
		if !p.AcceptString("_TTS") {
			return p.AcceptString(Prefix)
		}
	}
}

func (p *parser) specialization() *tree.Node {
	switch {
	case p.Accept('g'):
		return p.genericParams(p.pass("generic specialization"))
	case p.Accept('r'):
		return p.genericParams(p.pass("generic not re-abstracted specialization"))
	case p.Accept('f'):
		return p.functionParams(p.pass("function signature specialization"))
	}
	return nil
}

func (p *parser) pass(text string) *tree.Node {
	n := p.WithText(tree.Specialization, text)
	if p.Accept('q') {
		tree.AddIf(n, p.Leaf(tree.Serialized))
	}
	return tree.Add(n, p.WithIndex(tree.SpecializationPass, int(p.Next())-'0'))
}

// genericParams reads types, each followed by its conformances.
func (p *parser) genericParams(n *tree.Node) *tree.Node {
	for n != nil && !p.Accept('_') {
		param := p.Node(tree.SpecializationParam, p.typed())
		for param != nil && !p.Accept('_') {
			param = tree.Add(param, p.conformance())
		}
		n = tree.Add(n, param)
	}
	return n
}

// functionParams reads the change of each parameter.
func (p *parser) functionParams(n *tree.Node) *tree.Node {
	for n != nil && !p.Accept('_') {
		n = tree.Add(n, p.functionParam())
	}
	return n
}

func (p *parser) functionParam() *tree.Node {
	param := p.Leaf(tree.FunctionParam)
	switch {
	case p.AcceptString("n_"):
		return param
	case p.AcceptString("cp"):
		return p.constant(param)
	case p.AcceptString("cl"):
		return p.closure(param)
	case p.AcceptString("i_"):
		return p.change(param, tree.ParamBoxToValue)
	case p.AcceptString("k_"):
		return p.change(param, tree.ParamBoxToStack)
	case p.AcceptString("r_"):
		return p.change(param, tree.ParamInOutToOut)
	}
	what := 0
	for _, f := range [...]struct {
		letter byte
		flag   int
	}{{'d', tree.ParamDead}, {'g', tree.ParamOwnedToGuaranteed}, {'o', tree.ParamGuaranteedToOwned}, {'s', tree.ParamExploded}} {
		if p.Accept(f.letter) {
			what |= f.flag
		}
	}
	if what == 0 || !p.Accept('_') {
		return nil
	}
	return p.change(param, what)
}

func (p *parser) change(param *tree.Node, what int) *tree.Node {
	return tree.Add(param, p.WithIndex(tree.FunctionParamKind, what))
}

// payload adds a text that belongs to a change. It returns nil if the text is
// missing.
func (p *parser) payload(param *tree.Node, text string) *tree.Node {
	if text == "" {
		return nil
	}
	return tree.Add(param, p.WithText(tree.FunctionParamPayload, text))
}

// constantName adds the name of the constant that replaced a parameter.
func (p *parser) constantName(param *tree.Node) *tree.Node {
	param = tree.Add(param, p.identifier(tree.Identifier))
	if !p.Accept('_') {
		return nil
	}
	return param
}

// constant reads the constant that replaced a parameter.
func (p *parser) constant(param *tree.Node) *tree.Node {
	switch {
	case p.AcceptString("fr"):
		return p.constantName(p.change(param, tree.ParamFunction))
	case p.Accept('g'):
		return p.constantName(p.change(param, tree.ParamGlobal))
	case p.Accept('i'):
		return p.payload(p.change(param, tree.ParamInteger), p.until('_'))
	case p.AcceptString("fl"):
		return p.payload(p.change(param, tree.ParamFloat), p.until('_'))
	case p.AcceptString("se0v"):
		return p.constantName(p.payload(p.change(param, tree.ParamString), "u8"))
	case p.AcceptString("se1v"):
		return p.constantName(p.payload(p.change(param, tree.ParamString), "u16"))
	}
	return nil
}

// until reads up to b, and skips b. It returns "" if there is no b.
func (p *parser) until(b byte) string {
	for i := p.Pos; i < len(p.Name); i++ {
		if p.Name[i] == b {
			text := p.Name[p.Pos:i]
			p.Pos = i + 1
			return text
		}
	}
	return ""
}

// closure reads the closure that replaced a parameter, and the types that it
// captures.
func (p *parser) closure(param *tree.Node) *tree.Node {
	name := p.identifier(tree.Identifier)
	if name == nil {
		return nil
	}
	param = p.payload(p.change(param, tree.ParamClosure), name.Text)
	for param != nil && !p.Accept('_') {
		param = tree.Add(param, p.typed())
	}
	return param
}
