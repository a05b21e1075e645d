package swift

// conformance reads conformances and the records that the runtime finds them by.
func (p *parser) conformance() *node {
	switch p.peek() {
	case 'A':
		return p.dependentConformance("dependent associated protocol conformance ", (*parser).popAssociatedConformance, (*parser).popDependentConformance)
	case 'D':
		return p.dependentConformance("dependent root protocol conformance ", (*parser).popProtocol, (*parser).popType)
	case 'I':
		return p.dependentConformance("dependent inherited protocol conformance ", (*parser).popProtocol, (*parser).popDependentConformance)
	}
	switch p.next() {
	case 'C':
		return p.concreteConformance()
	case 'O':
		t := p.popType()
		return p.node(kindOpaqueConformance, p.popDependentConformance(), t)
	case 'P':
		return p.conformanceRef("protocol conformance ref (type's module) %0", p.popProtocol())
	case 'p':
		return p.conformanceRef("protocol conformance ref (protocol's module) %0", p.popProtocol())
	case 'X':
		return p.node(kindPackConformance, p.popConformanceList())
	}
	p.pos--
	return p.record()
}

// record reads a record of the runtime's.
func (p *parser) record() *node {
	switch p.next() {
	case 'c':
		return p.phrase("protocol conformance descriptor runtime record for %0", p.popConformance())
	case 'n':
		return p.phrase("nominal type descriptor runtime record for %0", p.popType())
	case 'o':
		return p.phrase("opaque type descriptor runtime record for %0", p.popAny())
	case 'r':
		return p.phrase("protocol descriptor runtime record for %0", p.popProtocol())
	case 'F':
		return p.withText(kindThunkAttribute, "accessible function runtime record for ")
	}
	return nil
}

func (p *parser) conformanceRef(template string, parts ...*node) *node {
	n := p.node(kindConformanceRef, parts...)
	if n != nil {
		n.text = template
	}
	return n
}

// popConformance takes the conformance of a type to a protocol, in a module.
func (p *parser) popConformance() *node {
	signature := p.pop(kindGenericSignature)
	module := p.popModule()
	protocol := p.popProtocol()
	t := p.popType()
	var property *node
	if t == nil {
		property = p.pop(kindIdentifier)
		t = p.popType()
	}
	if signature != nil {
		t = p.typed(p.node(kindDependentGenericType, signature, t))
	}
	n := p.node(kindProtocolConformance, t, protocol, module)
	addIf(n, property)
	return n
}

// popConformanceList takes the conformances that another needs.
func (p *parser) popConformanceList() *node {
	return p.popList(p.leaf(kindConformanceList), func(p *parser) *node { return p.popIf(isConformance) })
}

func (p *parser) concreteConformance() *node {
	needed := p.popConformanceList()
	ref := p.pop(kindConformanceRef)
	if ref == nil {
		module := p.popModule()
		ref = p.conformanceRef("protocol conformance ref (retroactive) %0%1", p.popProtocol(), module)
	}
	return p.node(kindConcreteConformance, p.popType(), ref, needed)
}

// dependentConformance reads the conformance of a type that depends on a parameter;
// to and of take what conforms to what.
func (p *parser) dependentConformance(text string, to, of func(*parser) *node) *node {
	p.pos++
	i := p.conformanceIndex()
	protocol := to(p)
	n := p.node(kindDependentConformance, of(p), protocol, i)
	if n != nil {
		n.text = text
	}
	return n
}

func (p *parser) popDependentConformance() *node { return p.pop(kindDependentConformance) }

func (p *parser) popAssociatedConformance() *node {
	protocol := p.popProtocol()
	return p.phrase("dependent associated conformance %0%1", p.popType(), protocol)
}

// conformanceIndex reads the index of a requirement, which may be unknown.
func (p *parser) conformanceIndex() *node {
	switch i := p.index(); {
	case i <= 0:
		return nil
	case i == 1:
		return p.leaf(kindUnknownIndex)
	default:
		return p.withIndex(kindNumber, i-2)
	}
}

func (p *parser) retroactiveConformance() *node {
	i := p.numberNode()
	return p.node(kindRetroactiveConformance, i, p.popIf(isConformance))
}
