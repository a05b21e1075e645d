package swift

// typeNode prints types.
func (p *printer) typeNode(n *node) {
	switch n.kind {
	case kindTupleElement:
		p.tupleElement(n)
	case kindBoundGenericClass, kindBoundGenericStructure, kindBoundGenericEnum, kindBoundGenericProtocol,
		kindBoundGenericOtherNominalType, kindBoundGenericTypeAlias:
		p.boundGeneric(n)
	case kindSugaredOptional:
		p.withParentheses(n.child(0))
		p.write("?")
	case kindMetatype:
		p.metatype(n)
	case kindExistentialMetatype:
		p.representation(n)
		p.print(n.last())
		p.write(".Type")
	case kindProtocolList:
		p.protocolList(n)
	case kindProtocolListWithClass:
		p.print(n.child(1))
		p.write(" & ")
		p.printList(protocolsOf(n), " & ")
	case kindProtocolListWithAnyObject:
		for _, protocol := range protocolsOf(n) {
			p.print(protocol)
			p.write(" & ")
		}
		p.write("Swift.AnyObject")
	case kindSILBoxTypeWithLayout:
		p.boxType(n)
	case kindSILBoxLayout:
		p.boxLayout(n)
	default:
		p.failed = true
	}
}

func (p *printer) tupleElement(n *node) {
	if name := n.find(kindTupleElementName); name != nil {
		p.print(name)
	}
	p.print(n.find(kindType))
	if n.find(kindVariadic) != nil {
		p.write("...")
	}
}

// boundGeneric prints a type with its arguments, where that is how it is written in
// the source.
func (p *printer) boundGeneric(n *node) {
	arguments := n.child(1)
	if arguments == nil {
		p.failed = true
		return
	}
	if len(n.children) == 2 && !p.nested && p.sugared(n, arguments.children) {
		return
	}
	p.print(n.child(0))
	p.write("<")
	p.printList(arguments.children, ", ")
	p.write(">")
}

// sugared prints what has a form of its own in the source, and reports whether n has.
func (p *printer) sugared(n *node, arguments []*node) bool {
	if n.kind == kindBoundGenericProtocol {
		p.printList(arguments, "")
		p.write(" as ")
		p.print(n.child(0))
		return true
	}
	nominal := n.child(0).child(0)
	name := nominal.child(1)
	if !name.is(kindIdentifier) || !nominal.child(0).is(kindModule) || nominal.child(0).text != swiftModule {
		return false
	}
	switch {
	case n.kind == kindBoundGenericEnum && name.text == "Optional" && len(arguments) == 1:
		p.withParentheses(arguments[0])
		p.write("?")
	case n.kind == kindBoundGenericEnum && name.text == "ImplicitlyUnwrappedOptional" && len(arguments) == 1:
		p.withParentheses(arguments[0])
		p.write("!")
	case n.kind == kindBoundGenericStructure && name.text == "Array" && len(arguments) == 1:
		p.write("[")
		p.print(arguments[0])
		p.write("]")
	case n.kind == kindBoundGenericStructure && name.text == "Dictionary" && len(arguments) == 2:
		p.write("[")
		p.printList(arguments, " : ")
		p.write("]")
	default:
		return false
	}
	return true
}

func (p *printer) withParentheses(t *node) {
	if isSimple(t) {
		p.print(t)
		return
	}
	p.write("(")
	p.print(t)
	p.write(")")
}

// isSimple reports whether a ? or .Type may follow a type at once.
func isSimple(t *node) bool {
	for t.is(kindType) {
		t = t.child(0)
	}
	if t == nil {
		return true
	}
	switch t.kind {
	case kindProtocolList:
		return len(t.child(0).children) <= 1
	case kindProtocolListWithAnyObject:
		return len(protocolsOf(t)) == 0
	case kindClass, kindStructure, kindEnum, kindProtocol, kindTypeAlias, kindOtherNominalType, kindModule,
		kindBuiltinTupleType, kindBuiltinTypeName, kindSimpleType, kindTuple, kindInteger, kindTypeList,
		kindBoundGenericClass, kindBoundGenericStructure, kindBoundGenericEnum, kindBoundGenericProtocol,
		kindBoundGenericOtherNominalType, kindBoundGenericTypeAlias, kindBoundGenericFunction,
		kindAssociatedTypeRef, kindDependentGenericType, kindDependentMemberType, kindGenericParam,
		kindMetatype, kindExistentialMetatype, kindSILBoxTypeWithLayout, kindSugaredOptional:
		return true
	}
	return false
}

// representation prints how a metatype with two children is represented.
func (p *printer) representation(n *node) {
	if len(n.children) == 2 {
		p.print(n.child(0))
		p.write(" ")
	}
}

func (p *printer) metatype(n *node) {
	p.representation(n)
	t := n.last().child(0)
	p.withParentheses(t)
	if t == nil {
		p.failed = true
		return
	}
	switch t.kind {
	case kindExistentialMetatype, kindProtocolList, kindProtocolListWithClass, kindProtocolListWithAnyObject:
		p.write(".Protocol")
	default:
		p.write(".Type")
	}
}

func (p *printer) protocolList(n *node) {
	if list := n.child(0); list != nil && len(list.children) > 0 {
		p.printList(list.children, " & ")
		return
	}
	p.write("Any")
}

// protocolsOf returns the protocols of a list that also has a class.
func protocolsOf(n *node) []*node {
	if list := n.child(0).child(0); list != nil {
		return list.children
	}
	return nil
}

func (p *printer) boxType(n *node) {
	if signature := n.child(1); signature != nil {
		p.print(signature)
		p.write(" ")
	}
	p.print(n.child(0))
	if arguments := n.child(2); arguments != nil {
		p.write(" <")
		p.printList(arguments.children, ", ")
		p.write(">")
	}
}

func (p *printer) boxLayout(n *node) {
	p.write("{")
	for i, field := range n.children {
		if i > 0 {
			p.write(",")
		}
		p.write(" ")
		p.print(field)
	}
	p.write(" }")
}
