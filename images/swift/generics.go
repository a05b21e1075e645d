package swift

import (
	"stacksnap/images/swift/internal/tree"
)

func (p *parser) signature() *tree.Node {
	s := p.Node(tree.GenericSignature, p.WithIndex(tree.GenericParamCount, 1))
	return p.withRequirements(s)
}

// signatureWithCounts reads a generic signature with the number of parameters at each
// depth.
func (p *parser) signatureWithCounts() *tree.Node {
	s := p.Leaf(tree.GenericSignature)
	for !p.Accept('l') {
		count := 0
		if !p.Accept('z') {
			count = p.Index() + 1
		}
		if count < 0 || tree.Add(s, p.WithIndex(tree.GenericParamCount, count)) == nil {
			return nil
		}
	}
	return p.withRequirements(s)
}

// withRequirements pops the requirements of a signature and adds them.
func (p *parser) withRequirements(s *tree.Node) *tree.Node {
	if s == nil {
		return nil
	}
	first := len(s.Children)
	for r := p.popIf(tree.IsRequirement); r != nil; r = p.popIf(tree.IsRequirement) {
		tree.AddIf(s, r)
	}
	s.Reverse(first)
	return s
}

// genericType pops a signature and a type, and combines them.
func (p *parser) genericType() *tree.Node {
	s := p.pop(tree.GenericSignature)
	return p.Typed(p.Node(tree.DependentGenericType, s, p.popType()))
}

func (p *parser) firstParamType() *tree.Node   { return p.Typed(p.GenericParam(0, 0)) }
func (p *parser) genericParamType() *tree.Node { return p.Typed(p.genericParamIndex()) }

// genericParamIndex reads the depth and index of a generic parameter.
func (p *parser) genericParamIndex() *tree.Node {
	switch {
	case p.Accept('d'):
		depth := p.Index() + 1
		return p.GenericParam(depth, p.Index())
	case p.Accept('z'):
		return p.GenericParam(0, 0)
	case p.Accept('s'):
		return p.Simple("Self")
	}
	return p.GenericParam(0, p.Index()+1)
}

// A requirement demands something (its demand) of a type (its subject).
type (
	demand  uint8
	subject uint8
)

const (
	demandConformance demand = iota
	demandBaseClass
	demandSameType
	demandSameShape
	demandLayout
	demandPack
	demandValue
	demandInverse

	subjectParam    subject = iota // a generic parameter
	subjectMember                  // an associated type of a generic parameter
	subjectCompound                // an associated type of an associated type
	subjectStack                   // a type that came before
)

// requirements are the operators after R. Without an operator, a generic parameter
// has to conform to a protocol.
var requirements = [128]struct {
	known   bool
	demand  demand
	subject subject
}{
	'V': {true, demandValue, subjectParam}, 'v': {true, demandPack, subjectParam},
	'c': {true, demandBaseClass, subjectMember}, 'C': {true, demandBaseClass, subjectCompound},
	'b': {true, demandBaseClass, subjectParam}, 'B': {true, demandBaseClass, subjectStack},
	't': {true, demandSameType, subjectMember}, 'T': {true, demandSameType, subjectCompound},
	's': {true, demandSameType, subjectParam}, 'S': {true, demandSameType, subjectStack},
	'm': {true, demandLayout, subjectMember}, 'M': {true, demandLayout, subjectCompound},
	'l': {true, demandLayout, subjectParam}, 'L': {true, demandLayout, subjectStack},
	'p': {true, demandConformance, subjectMember}, 'P': {true, demandConformance, subjectCompound},
	'Q': {true, demandConformance, subjectStack}, 'h': {true, demandSameShape, subjectParam},
	'i': {true, demandInverse, subjectParam}, 'I': {true, demandInverse, subjectStack},
}

// requirement reads one requirement of a signature.
func (p *parser) requirement() *tree.Node {
	r := tree.At(&requirements, p.Peek())
	if r.known {
		p.Pos++
	} else {
		r.subject = subjectParam
	}
	var inverse *tree.Node
	if r.demand == demandInverse {
		if inverse = p.Number(p.Index()); inverse == nil {
			return nil
		}
	}
	t := p.subject(r.subject)
	switch r.demand {
	case demandValue:
		return p.Node(tree.ValueMarker, t, p.popType())
	case demandPack:
		return p.Node(tree.PackMarker, t)
	case demandInverse:
		return p.Node(tree.InverseRequirement, t, inverse)
	case demandConformance:
		return p.WithText(tree.Requirement, "%0: %1", t, p.popProtocol())
	case demandBaseClass:
		return p.WithText(tree.Requirement, "%0: %1", t, p.popType())
	case demandSameType:
		return p.WithText(tree.Requirement, "%0 == %1", t, p.popType())
	case demandSameShape:
		return p.WithText(tree.Requirement, "%0.shape == %1.shape", t, p.popType())
	}
	return p.layoutRequirement(t)
}

// subject reads the type that a requirement is about.
func (p *parser) subject(s subject) *tree.Node {
	switch s {
	case subjectMember:
		return p.remembered(p.member(p.genericParamIndex()))
	case subjectCompound:
		return p.remembered(p.compoundMember(p.genericParamIndex()))
	case subjectStack:
		return p.popType()
	}
	return p.Typed(p.genericParamIndex())
}

func (p *parser) layoutRequirement(t *tree.Node) *tree.Node {
	c := p.Next()
	name := tree.At(&tree.Layouts, c)
	if name == "" {
		return nil
	}
	n := p.Node(tree.LayoutRequirement, t, p.WithText(tree.Text, name))
	for range tree.At(&tree.SizedLayouts, c) {
		if n = tree.Add(n, p.Number(p.Index())); n == nil {
			return nil
		}
	}
	return n
}

// member pops the name of an associated type of base.
func (p *parser) member(base *tree.Node) *tree.Node {
	name := p.popAssociatedTypeName()
	return p.Typed(p.Node(tree.DependentMemberType, p.Typed(base), name))
}

// memberOfStack is like member, but also pops the base.
func (p *parser) memberOfStack() *tree.Node {
	name := p.popAssociatedTypeName()
	return p.Typed(p.Node(tree.DependentMemberType, p.popType(), name))
}

// compoundMember pops a path of associated types: each is a member of the one before,
// the first of base.
func (p *parser) compoundMember(base *tree.Node) *tree.Node {
	path := p.popAssociatedTypePath()
	return p.memberPath(p.Typed(base), path)
}

func (p *parser) compoundMemberOfStack() *tree.Node {
	path := p.popAssociatedTypePath()
	return p.memberPath(p.popType(), path)
}

func (p *parser) memberPath(base, path *tree.Node) *tree.Node {
	if path == nil {
		return nil
	}
	for _, name := range path.Children {
		base = p.Typed(p.Node(tree.DependentMemberType, base, name))
	}
	return base
}

// popAssociatedTypeName pops the name of an associated type and, if the mangling has
// it, the type's protocol.
func (p *parser) popAssociatedTypeName() *tree.Node {
	protocol := p.popType()
	if protocol != nil && !protocol.Child(0).Is(tree.Protocol) {
		return nil
	}
	n := p.Node(tree.AssociatedTypeName, p.pop(tree.Identifier))
	tree.AddIf(n, protocol)
	return n
}

func (p *parser) popAssociatedTypePath() *tree.Node {
	return p.popElements(p.Leaf(tree.AssociatedTypePath), (*parser).popAssociatedTypeName)
}

// archetype reads an associated type, a pack type or an opaque type.
func (p *parser) archetype() *tree.Node {
	switch c := p.Next(); c {
	case 'a':
		name := p.pop(tree.Identifier)
		return p.remembered(p.Typed(p.Node(tree.AssociatedTypeRef, p.popInner(), name)))
	case 'x':
		return p.remembered(p.memberOfStack())
	case 'X':
		return p.remembered(p.compoundMemberOfStack())
	case 'y':
		return p.remembered(p.member(p.genericParamIndex()))
	case 'Y':
		return p.remembered(p.compoundMember(p.genericParamIndex()))
	case 'z':
		return p.remembered(p.member(p.GenericParam(0, 0)))
	case 'Z':
		return p.remembered(p.compoundMember(p.GenericParam(0, 0)))
	case 'p', 'e', 'P', 'S':
		return p.packType(c)
	}
	p.Pos--
	return p.opaqueType()
}

// packType reads a type made of packs, by the byte after Q.
func (p *parser) packType(c byte) *tree.Node {
	switch c {
	case 'p':
		count := p.popInner()
		return p.Typed(p.Phrase("repeat %0", p.popInner(), count))
	case 'e':
		element := p.Node(tree.PackElement, p.popInner())
		level := p.Index()
		if element == nil || level < 0 {
			return nil
		}
		element.Index = level
		return p.Typed(element)
	case 'P':
		return p.pack("Pack{%,}")
	}
	switch p.Next() {
	case 'd':
		return p.pack("@direct Pack{%,}")
	case 'i':
		return p.pack("@indirect Pack{%,}")
	}
	return nil
}

// opaqueType reads an opaque result type (some P).
func (p *parser) opaqueType() *tree.Node {
	switch p.Next() {
	case 'O':
		return p.Node(tree.OpaqueReturnTypeOf, p.popContext())
	case 'o':
		return p.opaqueTypeOf()
	case 'r':
		return p.Typed(p.Leaf(tree.OpaqueReturnType))
	case 'R':
		if p.Index() < 0 {
			return nil
		}
		return p.Typed(p.Leaf(tree.OpaqueReturnType))
	}
	return nil
}

// opaqueTypeOf pops the function that returns an opaque type, and its generic
// arguments, which are not printed.
func (p *parser) opaqueTypeOf() *tree.Node {
	i := p.Index()
	if _, _, ok := p.popArguments(); !ok || i < 0 {
		return nil
	}
	return p.remembered(p.Typed(p.Node(tree.OpaqueType, p.popAny(), p.WithIndex(tree.Number, i))))
}
