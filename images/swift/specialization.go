package swift

import (
	"strconv"
	"strings"

	"stacksnap/images/swift/internal/tree"
)

// specializations are the operators after T for functions that were specialized for
// generic arguments.
var specializations = [128]string{
	'g': "generic specialization", 'G': "generic not re-abstracted specialization", 'B': "generic specialization",
	's': "generic pre-specialization", 'i': "inlined generic function",
}

// partialSpecializations are the operators for functions that were specialized for
// some of their generic arguments.
var partialSpecializations = [128]string{
	'p': "generic partial specialization", 'P': "generic not-reabstracted partial specialization",
}

// maxPass is one more than the highest number of a compiler pass that specializes.
const maxPass = 10

// specialization reads a specialization, by the byte after T. ok reports whether the
// byte is the operator of one.
func (p *parser) specialization(c byte) (n *tree.Node, ok bool) {
	if text := tree.At(&specializations, c); text != "" {
		return p.genericSpecialization(text, nil), true
	}
	if text := tree.At(&partialSpecializations, c); text != "" {
		n := p.pass(tree.PartialSpecialization, text)
		return tree.Add(n, p.Node(tree.SpecializationParam, p.popType())), true
	}
	switch c {
	case 't':
		return p.specializationWithoutArguments(), true
	case 'f':
		return p.functionSpecialization(), true
	}
	return nil, false
}

// pass reads the flags and the compiler pass with which every specialization begins.
// Compilers before Swift 6.3 also wrote an m.
func (p *parser) pass(k tree.Kind, text string) *tree.Node {
	n := p.WithText(k, text)
	p.Accept('m')
	if p.Accept('q') {
		tree.AddIf(n, p.Leaf(tree.Serialized))
	}
	if p.Accept('a') {
		tree.AddIf(n, p.WithText(tree.AsyncRemoved, "async demotion of "))
	}
	if p.Accept('r') {
		tree.AddIf(n, p.WithText(tree.RepresentationChanged, "representation changed of "))
	}
	pass := int(p.Next()) - '0'
	if pass < 0 || pass >= maxPass {
		return nil
	}
	return tree.Add(n, p.WithIndex(tree.SpecializationPass, pass))
}

func (p *parser) genericSpecialization(text string, dropped []*tree.Node) *tree.Node {
	n := p.pass(tree.Specialization, text)
	types := p.popTypeList()
	if n == nil || types == nil {
		return nil
	}
	n.Children = append(n.Children, dropped...)
	for _, t := range types.Children {
		if tree.Add(n, p.Node(tree.SpecializationParam, t)) == nil {
			return nil
		}
	}
	return n
}

// specializationWithoutArguments reads a specialization from which arguments were
// removed.
func (p *parser) specializationWithoutArguments() *tree.Node {
	p.Pos--
	var dropped []*tree.Node
	for p.Accept('t') {
		n := p.Leaf(tree.DroppedArgument)
		if n == nil {
			return nil
		}
		p.Natural() // index of the argument; it is not printed
		dropped = append(dropped, n)
	}
	switch c := p.Next(); c {
	case 'g', 'G', 'B':
		return p.genericSpecialization(specializations[c], dropped)
	}
	return nil
}

// functionSpecialization reads a function signature specialization: the change of
// each parameter and of the result. The identifiers and types that belong to the
// changes are on the stack, the first parameter's first.
func (p *parser) functionSpecialization() *tree.Node {
	n := p.pass(tree.Specialization, "function signature specialization")
	if n == nil || n.Children[0].Kind == tree.RepresentationChanged {
		return n
	}
	for !p.Accept('_') {
		if n = tree.Add(n, p.functionParam(tree.FunctionParam)); n == nil {
			return nil
		}
	}
	if !p.Accept('n') {
		if n = tree.Add(n, p.functionParam(tree.FunctionResult)); n == nil {
			return nil
		}
	}
	for i := len(n.Children) - 1; i >= 0; i-- {
		if param := n.Children[i]; param.Kind == tree.FunctionParam && !p.popPayloads(param) {
			return nil
		}
	}
	return n
}

// popPayloads pops the identifiers and types that belong to the changes of a
// parameter.
func (p *parser) popPayloads(param *tree.Node) bool {
	fixed := len(param.Children)
	for i := fixed - 1; i >= 0; i-- {
		if c := param.Children[i]; c.Kind == tree.FunctionParamKind && !p.popPayload(param, c.Index) {
			return false
		}
	}
	param.Reverse(fixed)
	return true
}

func (p *parser) popPayload(param *tree.Node, what int) bool {
	switch what {
	case tree.ParamClosure:
		for t := p.popType(); t != nil; t = p.popType() {
			tree.AddIf(param, t)
		}
	case tree.ParamKeyPath:
		for range 2 {
			if tree.Add(param, p.popType()) == nil {
				return false
			}
		}
	case tree.ParamStruct:
		return tree.Add(param, p.popType()) != nil
	case tree.ParamFunction, tree.ParamGlobal, tree.ParamString:
	default:
		return true
	}
	return tree.Add(param, p.pop(tree.Identifier)) != nil
}

// paramChanges are the changes of a parameter by their letters; paramFlags are the
// flags that may follow a change.
var (
	paramChanges = [128]struct {
		known bool
		what  int
	}{
		'c': {true, tree.ParamClosure}, 'e': {true, tree.ParamExistentialToGeneric}, 'd': {true, tree.ParamDead},
		'g': {true, tree.ParamOwnedToGuaranteed}, 'o': {true, tree.ParamGuaranteedToOwned}, 'x': {true, tree.ParamExploded},
		'i': {true, tree.ParamBoxToValue}, 's': {true, tree.ParamBoxToStack}, 'r': {true, tree.ParamInOutToOut},
	}
	paramFlags = [...]struct {
		letter byte
		flag   int
		after  string // letters of the changes that it may follow
	}{
		{'D', tree.ParamDead, "e"}, {'G', tree.ParamOwnedToGuaranteed, "ed"}, {'O', tree.ParamGuaranteedToOwned, "ed"}, {'X', tree.ParamExploded, "edgo"},
	}
)

// functionParam reads the change of a parameter or of the result.
func (p *parser) functionParam(k tree.Kind) *tree.Node {
	param := p.Leaf(k)
	c := p.Next()
	switch c {
	case 'n':
		return param
	case 'C':
		i := p.Natural()
		if i < 0 {
			return nil
		}
		tree.AddIf(param, p.WithIndex(tree.FunctionParamKind, tree.ParamSameClosure))
		return tree.Add(param, p.WithText(tree.FunctionParamPayload, strconv.Itoa(i)))
	case 'p':
		return p.constants(param)
	}
	change := tree.At(&paramChanges, c)
	if !change.known {
		return nil
	}
	for _, f := range paramFlags {
		if strings.IndexByte(f.after, c) >= 0 && p.Accept(f.letter) {
			change.what |= f.flag
		}
	}
	return tree.Add(param, p.WithIndex(tree.FunctionParamKind, change.what))
}

// stringEncodings are the encodings of a constant string.
var stringEncodings = [128]string{'b': "u8", 'w': "u16", 'c': "objc"}

// constants reads the constants that replaced a parameter.
func (p *parser) constants(param *tree.Node) *tree.Node {
	for {
		what, payload := 0, ""
		c := p.Peek()
		switch c {
		case 'S':
			what = tree.ParamStruct
		case 'f':
			what = tree.ParamFunction
		case 'g':
			what = tree.ParamGlobal
		case 'k':
			what = tree.ParamKeyPath
		case 'i':
			what = tree.ParamInteger
		case 'd':
			what = tree.ParamFloat
		case 's':
			what = tree.ParamString
		default:
			return param
		}
		p.Pos++
		tree.AddIf(param, p.WithIndex(tree.FunctionParamKind, what))
		switch c {
		case 'i', 'd':
			payload = p.Digits()
		case 's':
			payload = tree.At(&stringEncodings, p.Next())
		default:
			continue
		}
		if payload == "" || tree.Add(param, p.WithText(tree.FunctionParamPayload, payload)) == nil {
			return nil
		}
	}
}
