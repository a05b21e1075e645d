package old

import (
	"stacksnap/images/swift/internal/tree"
)

// declName reads the name of a declaration: a local, private or plain one.
func (p *parser) declName() *tree.Node {
	switch {
	case p.Accept('L'):
		number := p.Number(p.Index())
		return p.Node(tree.LocalDeclName, number, p.identifier(tree.Identifier))
	case p.Accept('P'):
		file := p.identifier(tree.Identifier)
		return p.Node(tree.PrivateDeclName, file, p.identifier(tree.Identifier))
	}
	return p.identifier(tree.Identifier)
}

// identifier reads an identifier or an operator.
func (p *parser) identifier(k tree.Kind) *tree.Node {
	punycoded := p.Accept('X')
	fixity := ""
	if k == tree.Identifier && p.Accept('o') {
		if fixity = tree.At(&tree.Fixities, p.Next()); fixity == "" {
			return nil
		}
		k = tree.Operator
	}
	text, ok := p.Take(p.Natural())
	if ok && punycoded {
		text, ok = tree.DecodePunycode(text)
	}
	if ok && k == tree.Operator {
		text, ok = tree.OperatorText(text)
	}
	if !ok || text == "" {
		return nil
	}
	return p.WithText(k, text+fixity)
}

// standardTypes are the types of the standard library that are mangled as a letter.
var standardTypes = [128]string{
	'a': "Array", 'b': "Bool", 'c': "UnicodeScalar", 'd': "Double", 'f': "Float", 'i': "Int", 'V': "UnsafeRawPointer",
	'v': "UnsafeMutableRawPointer", 'P': "UnsafePointer", 'p': "UnsafeMutablePointer", 'q': "|Optional",
	'Q': "|ImplicitlyUnwrappedOptional", 'R': "UnsafeBufferPointer", 'r': "UnsafeMutableBufferPointer",
	'S': "String", 'u': "UInt",
}

// substitution reads a reference to an earlier node, or to a standard module or type.
func (p *parser) substitution() *tree.Node {
	switch {
	case p.Accept('o'):
		return p.WithText(tree.Module, tree.ObjCModule)
	case p.Accept('C'):
		return p.WithText(tree.Module, tree.ClangModule)
	}
	if standard := tree.At(&standardTypes, p.Peek()); standard != "" {
		p.Pos++
		name, k := tree.StandardType(standard)
		return p.Node(k, p.WithText(tree.Module, tree.SwiftModule), p.WithText(tree.Identifier, name))
	}
	i := p.Index()
	if i < 0 || i >= len(p.substitutions) {
		return nil
	}
	return p.substitutions[i]
}

func (p *parser) module() *tree.Node {
	switch {
	case p.Accept('s'):
		return p.WithText(tree.Module, tree.SwiftModule)
	case p.Accept('S'):
		n := p.substitution()
		if !n.Is(tree.Module) {
			return nil
		}
		return n
	}
	return p.remember(p.identifier(tree.Module))
}

// declaration reads the context and name of a type.
func (p *parser) declaration(k tree.Kind) *tree.Node {
	context := p.context()
	return p.remember(p.Node(k, context, p.declName()))
}

// protocolType reads a protocol, as a type.
func (p *parser) protocolType() *tree.Node { return p.Arena.Typed(p.deeper((*parser).protocol)) }

func (p *parser) protocol() *tree.Node {
	switch {
	case p.Accept('S'):
		n := p.substitution()
		if n.Is(tree.Protocol) {
			return n
		}
		return p.protocolIn(n)
	case p.Accept('s'):
		return p.protocolIn(p.WithText(tree.Module, tree.SwiftModule))
	}
	return p.declaration(tree.Protocol)
}

func (p *parser) protocolIn(module *tree.Node) *tree.Node {
	if !module.Is(tree.Module) {
		return nil
	}
	return p.remember(p.Node(tree.Protocol, module, p.declName()))
}

// nominalKinds are the operators of nominal types.
var nominalKinds = [128]tree.Kind{'V': tree.Structure, 'O': tree.Enum, 'C': tree.Class, 'P': tree.Protocol}

func (p *parser) nominal() *tree.Node {
	if p.Accept('S') {
		return p.substitution()
	}
	k := tree.At(&nominalKinds, p.Peek())
	if k == tree.None {
		return nil
	}
	p.Pos++
	return p.declaration(k)
}

// context reads the context of a declaration.
func (p *parser) context() *tree.Node { return p.deeper((*parser).contextInner) }

func (p *parser) contextInner() *tree.Node {
	switch {
	case p.Accept('E'):
		module := p.module()
		return p.Node(tree.Extension, module, p.context())
	case p.Accept('e'):
		module := p.module()
		signature := p.signature()
		return p.Node(tree.Extension, module, p.context(), signature)
	case p.Accept('S'):
		return p.substitution()
	case p.Accept('s'):
		return p.WithText(tree.Module, tree.SwiftModule)
	case p.Accept('G'):
		return p.boundGeneric()
	}
	switch p.Peek() {
	case 'F', 'I', 'v', 'P', 's', 'Z', 'C', 'V', 'O':
		return p.entity()
	}
	return p.module()
}
