package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// conformance reads a conformance, or a record by which the runtime finds
// conformances.
func (p *parser) conformance() *tree.Node {
	switch p.Peek() {
	case 'A':
		return p.dependentConformance("dependent associated protocol conformance ", (*parser).popAssociatedConformance, (*parser).popDependentConformance)
	case 'D':
		return p.dependentConformance("dependent root protocol conformance ", (*parser).popProtocol, (*parser).popType)
	case 'I':
		return p.dependentConformance("dependent inherited protocol conformance ", (*parser).popProtocol, (*parser).popDependentConformance)
	}
	switch p.Next() {
	case 'C':
		return p.concreteConformance()
	case 'O':
		t := p.popType()
		return p.Node(tree.OpaqueConformance, p.popDependentConformance(), t)
	case 'P':
		return p.WithText(tree.ConformanceRef, "protocol conformance ref (type's module) %0", p.popProtocol())
	case 'p':
		return p.WithText(tree.ConformanceRef, "protocol conformance ref (protocol's module) %0", p.popProtocol())
	case 'X':
		return p.Node(tree.PackConformance, p.popConformanceList())
	}
	p.Pos--
	return p.record()
}

// record reads a record of the Swift runtime.
func (p *parser) record() *tree.Node {
	switch p.Next() {
	case 'c':
		return p.Phrase("protocol conformance descriptor runtime record for %0", p.popConformance())
	case 'n':
		return p.Phrase("nominal type descriptor runtime record for %0", p.popType())
	case 'o':
		return p.Phrase("opaque type descriptor runtime record for %0", p.popAny())
	case 'r':
		return p.Phrase("protocol descriptor runtime record for %0", p.popProtocol())
	case 'F':
		return p.WithText(tree.ThunkAttribute, "accessible function runtime record for ")
	}
	return nil
}

// popConformance pops the conformance of a type to a protocol, in a module.
func (p *parser) popConformance() *tree.Node {
	signature := p.pop(tree.GenericSignature)
	module := p.popModule()
	protocol := p.popProtocol()
	t := p.popType()
	var property *tree.Node
	if t == nil {
		property = p.pop(tree.Identifier)
		t = p.popType()
	}
	if signature != nil {
		t = p.Typed(p.Node(tree.DependentGenericType, signature, t))
	}
	n := p.Node(tree.ProtocolConformance, t, protocol, module)
	tree.AddIf(n, property)
	return n
}

// popConformanceList pops the conformances that another conformance depends on.
func (p *parser) popConformanceList() *tree.Node {
	return p.popList(p.Leaf(tree.ConformanceList), func(p *parser) *tree.Node { return p.popIf(tree.IsConformance) })
}

func (p *parser) concreteConformance() *tree.Node {
	needed := p.popConformanceList()
	ref := p.pop(tree.ConformanceRef)
	if ref == nil {
		module := p.popModule()
		ref = p.WithText(tree.ConformanceRef, "protocol conformance ref (retroactive) %0%1", p.popProtocol(), module)
	}
	return p.Node(tree.ConcreteConformance, p.popType(), ref, needed)
}

// dependentConformance reads the conformance of a type that depends on a generic
// parameter. to pops the protocol, and of pops the type or conformance that it is
// derived from.
func (p *parser) dependentConformance(text string, to, of func(*parser) *tree.Node) *tree.Node {
	p.Pos++
	i := p.conformanceIndex()
	protocol := to(p)
	return p.WithText(tree.DependentConformance, text, of(p), protocol, i)
}

func (p *parser) popDependentConformance() *tree.Node { return p.pop(tree.DependentConformance) }

func (p *parser) popAssociatedConformance() *tree.Node {
	protocol := p.popProtocol()
	return p.Phrase("dependent associated conformance %0%1", p.popType(), protocol)
}

// conformanceIndex reads the index of a requirement. The mangling has a value for an
// unknown index.
func (p *parser) conformanceIndex() *tree.Node {
	switch i := p.Index(); {
	case i <= 0:
		return nil
	case i == 1:
		return p.Leaf(tree.UnknownIndex)
	default:
		return p.WithIndex(tree.Number, i-2)
	}
}

func (p *parser) retroactiveConformance() *tree.Node {
	i := p.Number(p.Index())
	return p.Node(tree.RetroactiveConformance, i, p.popIf(tree.IsConformance))
}
