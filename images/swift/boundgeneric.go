package swift

// boundGeneric applies generic arguments to a type and to those that it is in.
func (p *parser) boundGeneric() *node {
	lists, conformances, ok := p.popArguments()
	nominal := p.popNominal()
	if !ok || nominal == nil {
		return nil
	}
	bound := p.bind(nominal, lists, 0)
	addIf(bound, conformances)
	return p.remembered(p.typed(bound))
}

// popArguments takes lists of generic arguments, those of the innermost type first,
// and the retroactive conformances among them; these are nil if there are none.
func (p *parser) popArguments() (lists []*node, conformances *node, ok bool) {
	for n := p.pop(kindRetroactiveConformance); n != nil; n = p.pop(kindRetroactiveConformance) {
		if conformances == nil {
			conformances = p.leaf(kindTypeList)
		}
		addIf(conformances, n)
	}
	if conformances != nil {
		conformances.reverse(0)
	}
	for {
		list := p.leaf(kindTypeList)
		if list == nil {
			return nil, nil, false
		}
		for t := p.popType(); t != nil; t = p.popType() {
			addIf(list, t)
		}
		list.reverse(0)
		lists = append(lists, list)
		if p.pop(kindEmptyList) != nil {
			return lists, conformances, true
		}
		if p.pop(kindFirstElement) == nil {
			return nil, nil, false
		}
	}
}

// boundKinds are what a type becomes with arguments.
var boundKinds = [...]kind{
	kindClass:            kindBoundGenericClass,
	kindStructure:        kindBoundGenericStructure,
	kindEnum:             kindBoundGenericEnum,
	kindProtocol:         kindBoundGenericProtocol,
	kindTypeAlias:        kindBoundGenericTypeAlias,
	kindOtherNominalType: kindBoundGenericOtherNominalType,
	kindFunction:         kindBoundGenericFunction,
	kindConstructor:      kindBoundGenericFunction,
}

// bind applies the first of the lists to n, and the others to what n is in.
func (p *parser) bind(n *node, lists []*node, depth int) *node {
	if n == nil || len(lists) == 0 || len(n.children) == 0 || depth > maxDepth {
		return nil
	}
	arguments := lists[0]
	takes := takesArguments(n.kind)
	if takes {
		lists = lists[1:]
	}
	if len(lists) > 0 {
		n = p.within(n, p.bindContext(n.children[0], lists, depth+1))
	}
	if n == nil || !takes || len(arguments.children) == 0 {
		return n
	}
	if int(n.kind) >= len(boundKinds) || boundKinds[n.kind] == kindNone {
		return nil
	}
	k := boundKinds[n.kind]
	if k == kindBoundGenericFunction {
		return p.node(k, n, arguments)
	}
	return p.node(k, p.typed(n), arguments)
}

// bindContext applies lists to a context; an extension stands for what it extends.
func (p *parser) bindContext(context *node, lists []*node, depth int) *node {
	if context.kind != kindExtension {
		return p.bind(context, lists, depth)
	}
	extension := p.node(kindExtension, context.child(0), p.bind(context.child(1), lists, depth))
	addIf(extension, context.child(2))
	return extension
}

// within makes a copy of a node that is in another context.
func (p *parser) within(n, context *node) *node {
	c := p.node(n.kind, context)
	if c == nil {
		return nil
	}
	c.text, c.index = n.text, n.index
	c.children = append(c.children, n.children[1:]...)
	return c
}

// takesArguments reports whether a context has generic arguments of its own.
func takesArguments(k kind) bool {
	switch k {
	case kindVariable, kindSubscript, kindImplicitClosure, kindExplicitClosure, kindDefaultArgument, kindInitializer, kindStatic:
		return false
	}
	return true
}
