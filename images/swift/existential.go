package swift

import (
	"stacksnap/images/swift/internal/tree"
)

func (p *parser) metatype() *tree.Node { return p.Typed(p.Node(tree.Metatype, p.popType())) }

// existentialType reads a metatype or an existential type, by the byte after X.
func (p *parser) existentialType(c byte) *tree.Node {
	switch c {
	case 'M':
		return p.representedMetatype(tree.Metatype)
	case 'm':
		return p.representedMetatype(tree.ExistentialMetatype)
	case 'p':
		return p.Typed(p.Node(tree.ExistentialMetatype, p.popType()))
	case 'P':
		requirements := p.popRequirements()
		return p.Typed(p.Phrase("any %0<%1>", p.popType(), requirements))
	case 'c':
		superclass := p.popType()
		return p.Typed(p.Node(tree.ProtocolListWithClass, p.popProtocolList(), superclass))
	case 'l':
		return p.Typed(p.Node(tree.ProtocolListWithAnyObject, p.popProtocolList()))
	case 'g':
		return p.Phrase("existential shape for any %0", p.popType())
	case 'G':
		t := p.popType()
		if signature := p.pop(tree.GenericSignature); signature != nil {
			return p.Phrase("existential shape for %0 any %1", signature, t)
		}
		return p.Phrase("existential shape for any %0", t)
	}
	return nil
}

func (p *parser) representedMetatype(k tree.Kind) *tree.Node {
	text := tree.At(&tree.MetatypeRepresentations, p.Next())
	if text == "" {
		return nil
	}
	return p.Typed(p.Node(k, p.WithText(tree.Text, text), p.popType()))
}

// popRequirements pops the requirements of a constrained existential.
func (p *parser) popRequirements() *tree.Node {
	return p.popElements(p.Leaf(tree.ConstrainedExistentialRequirements), func(p *parser) *tree.Node { return p.popIf(tree.IsRequirement) })
}

func (p *parser) popProtocolList() *tree.Node {
	return p.Node(tree.ProtocolList, p.popList(p.Leaf(tree.TypeList), (*parser).popProtocol))
}

func (p *parser) protocolListType() *tree.Node { return p.Typed(p.popProtocolList()) }

// popProtocol pops a protocol: a type, or a name and its context.
func (p *parser) popProtocol() *tree.Node {
	if t := p.popType(); t != nil {
		if !t.Child(0).Is(tree.Protocol) {
			return nil
		}
		return t
	}
	name := p.popIf(tree.IsDeclName)
	return p.Typed(p.Node(tree.Protocol, p.popContext(), name))
}
