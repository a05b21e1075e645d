package old

import (
	"strconv"

	"stacksnap/images/swift/internal/tree"
)

// typed reads a type.
func (p *parser) typed() *tree.Node { return p.Arena.Typed(p.deeper((*parser).typeInner)) }

// functionKinds are the operators of function types.
var functionKinds = [128]tree.Kind{
	'b': tree.ObjCBlock, 'c': tree.CFunctionPointer, 'F': tree.FunctionType, 'f': tree.UncurriedFunctionType, 'K': tree.AutoClosureType,
}

func (p *parser) typeInner() *tree.Node {
	c := p.Next()
	if k := tree.At(&functionKinds, c); k != tree.None {
		return p.function(k)
	}
	if k := tree.At(&nominalKinds, c); k != tree.None && c != 'P' {
		return p.declaration(k)
	}
	switch c {
	case 'B':
		return p.builtin()
	case 'a':
		return p.declaration(tree.TypeAlias)
	case 'D':
		return p.Simple("Self", p.typed())
	case 'E':
		if !p.AcceptString("RR") {
			return nil
		}
		return p.Simple("<ERROR TYPE>")
	case 'G':
		return p.boundGeneric()
	case 'M':
		return p.Node(tree.Metatype, p.typed())
	case 'P':
		return p.protocolListOrMetatype()
	case 'R':
		return p.Node(tree.InOut, p.deeper((*parser).typeInner))
	case 'k':
		return p.Phrase("@noDerivative %0", p.deeper((*parser).typeInner))
	case 'S':
		return p.substitution()
	case 'T':
		return p.tuple(false)
	case 't':
		return p.tuple(true)
	case 'X':
		return p.extendedType()
	}
	return p.genericType(c)
}

// extendedType reads the types after X.
func (p *parser) extendedType() *tree.Node {
	switch c := p.Next(); c {
	case 'b':
		return p.Simple("@box %0", p.typed())
	case 'B':
		return p.box()
	case 'M':
		return p.representedMetatype(tree.Metatype)
	case 'P':
		if p.Accept('M') {
			return p.representedMetatype(tree.ExistentialMetatype)
		}
		return p.protocolList()
	case 'f':
		return p.function(tree.ThinFunctionType)
	case 'o', 'u', 'w':
		return p.Phrase(tree.TypePhrases[c], p.typed())
	case 'F':
		return p.implFunction()
	}
	return nil
}

func (p *parser) representedMetatype(k tree.Kind) *tree.Node {
	text := tree.At(&tree.MetatypeRepresentations, p.Next())
	if text == "" {
		return nil
	}
	return p.Node(k, p.WithText(tree.Text, text), p.typed())
}

func (p *parser) protocolListOrMetatype() *tree.Node {
	if p.Accept('M') {
		return p.Node(tree.ExistentialMetatype, p.typed())
	}
	return p.protocolList()
}

func (p *parser) protocolList() *tree.Node {
	list := p.Leaf(tree.TypeList)
	for !p.Accept('_') {
		if list = tree.Add(list, p.protocolType()); list == nil {
			return nil
		}
	}
	return p.Node(tree.ProtocolList, list)
}

func (p *parser) builtin() *tree.Node {
	c := p.Next()
	switch c {
	case 'f':
		return p.builtinNamed(p.sized("FPIEEE"))
	case 'i':
		return p.builtinNamed(p.sized("Int"))
	case 'v':
		return p.builtinVector()
	case 'b', 'B', 'O', 'o', 'p', 't', 'w':
		return p.builtinNamed(tree.BuiltinNames[c])
	}
	return nil
}

// builtinNamed makes a builtin type, nil if name is "".
func (p *parser) builtinNamed(name string) *tree.Node {
	if name == "" {
		return nil
	}
	return p.WithText(tree.BuiltinTypeName, tree.BuiltinPrefix+name)
}

// sized reads a size and appends it to name.
func (p *parser) sized(name string) string {
	if n := p.Natural(); n >= 0 && p.Accept('_') {
		return name + strconv.Itoa(n)
	}
	return ""
}

func (p *parser) builtinVector() *tree.Node {
	n := p.Natural()
	if n < 0 || !p.Accept('B') {
		return nil
	}
	element := ""
	switch p.Next() {
	case 'i':
		element = p.sized("Int")
	case 'f':
		element = p.sized("FPIEEE")
	case 'p':
		element = "RawPointer"
	}
	if element == "" {
		return nil
	}
	return p.builtinNamed("Vec" + strconv.Itoa(n) + "x" + element)
}

// function reads the attributes, parameters and result of a function type.
func (p *parser) function(k tree.Kind) *tree.Node {
	f := p.Leaf(k)
	if p.Accept('z') {
		tree.AddIf(f, p.Leaf(tree.Throws))
	}
	if p.Accept('y') {
		tree.AddIf(f, p.Leaf(tree.Sendable))
	}
	if p.Accept('Z') {
		tree.AddIf(f, p.Leaf(tree.Async))
	}
	if p.Accept('D') {
		text := tree.At(&tree.DifferentiableAttributes, p.Next())
		if text == "" {
			return nil
		}
		tree.AddIf(f, p.WithText(tree.Differentiable, text))
	}
	if p.Accept('Y') {
		if f = tree.Add(f, p.Node(tree.GlobalActor, p.typed())); f == nil {
			return nil
		}
	}
	f = tree.Add(f, p.Node(tree.ArgumentTuple, p.typed()))
	if f == nil {
		return nil
	}
	return tree.Add(f, p.Node(tree.ReturnType, p.typed()))
}

// tuple reads the elements of a tuple. The last element of a variadic one can be
// repeated.
func (p *parser) tuple(variadic bool) *tree.Node {
	tuple := p.Leaf(tree.Tuple)
	for !p.Accept('_') {
		element := p.Leaf(tree.TupleElement)
		if c := p.Peek(); tree.IsDigit(c) || c == 'o' {
			if element = tree.Add(element, p.identifier(tree.TupleElementName)); element == nil {
				return nil
			}
		}
		if tuple = tree.Add(tuple, tree.Add(element, p.typed())); tuple == nil {
			return nil
		}
	}
	if variadic {
		tree.AddIf(tuple.Last(), p.Leaf(tree.Variadic))
	}
	return tuple
}

// box reads a box of SIL: m precedes a mutable field, i another one.
func (p *parser) box() *tree.Node {
	var signature, arguments *tree.Node
	if p.Accept('G') {
		if signature = p.signature(); signature == nil {
			return nil
		}
	}
	layout := p.Leaf(tree.SILBoxLayout)
	for !p.Accept('_') {
		keyword := "let %0"
		if p.Accept('m') {
			keyword = "var %0"
		} else if !p.Accept('i') {
			return nil
		}
		if layout = tree.Add(layout, p.Phrase(keyword, p.typed())); layout == nil {
			return nil
		}
	}
	if signature != nil {
		if arguments = p.types(); arguments == nil {
			return nil
		}
	}
	n := p.Node(tree.SILBoxTypeWithLayout, layout)
	tree.AddIf(n, signature)
	tree.AddIf(n, arguments)
	return n
}

// types reads a list of types.
func (p *parser) types() *tree.Node {
	list := p.Leaf(tree.TypeList)
	for !p.Accept('_') {
		if list = tree.Add(list, p.typed()); list == nil {
			return nil
		}
	}
	return list
}
