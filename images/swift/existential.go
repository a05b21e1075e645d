package swift

func (p *parser) metatype() *node { return p.typed(p.node(kindMetatype, p.popType())) }

// existentialType reads the types of types and of protocols, by the byte after X.
func (p *parser) existentialType(c byte) *node {
	switch c {
	case 'M':
		return p.representedMetatype(kindMetatype)
	case 'm':
		return p.representedMetatype(kindExistentialMetatype)
	case 'p':
		return p.typed(p.node(kindExistentialMetatype, p.popType()))
	case 'P':
		requirements := p.popRequirements()
		return p.typed(p.phrase("any %0<%1>", p.popType(), requirements))
	case 'c':
		superclass := p.popType()
		return p.typed(p.node(kindProtocolListWithClass, p.popProtocolList(), superclass))
	case 'l':
		return p.typed(p.node(kindProtocolListWithAnyObject, p.popProtocolList()))
	case 'g':
		return p.phrase("existential shape for any %0", p.popType())
	case 'G':
		t := p.popType()
		if signature := p.pop(kindGenericSignature); signature != nil {
			return p.phrase("existential shape for %0 any %1", signature, t)
		}
		return p.phrase("existential shape for any %0", t)
	}
	return nil
}

// metatypeRepresentations are how the type of a type is represented.
var metatypeRepresentations = [128]string{'t': "@thin", 'T': "@thick", 'o': "@objc_metatype"}

func (p *parser) representedMetatype(k kind) *node {
	text := at(&metatypeRepresentations, p.next())
	if text == "" {
		return nil
	}
	return p.typed(p.node(k, p.withText(kindText, text), p.popType()))
}

// popRequirements takes the requirements of a constrained existential.
func (p *parser) popRequirements() *node {
	return p.popElements(p.leaf(kindConstrainedExistentialRequirements), func(p *parser) *node { return p.popIf(isRequirement) })
}

func (p *parser) popProtocolList() *node {
	return p.node(kindProtocolList, p.popList(p.leaf(kindTypeList), (*parser).popProtocol))
}

func (p *parser) protocolListType() *node { return p.typed(p.popProtocolList()) }

// popProtocol takes a protocol: a type, or a name and its context.
func (p *parser) popProtocol() *node {
	if t := p.popType(); t != nil {
		if !t.child(0).is(kindProtocol) {
			return nil
		}
		return t
	}
	name := p.popIf(isDeclName)
	return p.typed(p.node(kindProtocol, p.popContext(), name))
}
