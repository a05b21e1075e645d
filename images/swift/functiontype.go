package swift

func (p *parser) functionType() *node { return p.popFunction(kindFunctionType, nil) }

// popFunction takes the parts of the type of a function, in the reverse of their
// order in the mangling. The type that C has for it may be nil.
func (p *parser) popFunction(k kind, clang *node) *node {
	n := p.leaf(k)
	addIf(n, clang)
	addIf(n, p.pop(kindSendingResult))
	addIf(n, p.popIf(isIsolation))
	addIf(n, p.pop(kindDifferentiable))
	addIf(n, p.popIf(isThrows))
	addIf(n, p.pop(kindSendable))
	addIf(n, p.pop(kindAsync))
	n = add(n, p.popParameters(kindArgumentTuple))
	n = add(n, p.popParameters(kindReturnType))
	return p.typed(n)
}

func (p *parser) popParameters(k kind) *node {
	if p.pop(kindEmptyList) != nil {
		return p.node(k, p.typed(p.leaf(kindTuple)))
	}
	return p.node(k, p.popType())
}

// popLabels takes the argument labels of a function of a type. It is nil if there
// are none to be known, and an empty list if no argument has one.
func (p *parser) popLabels(t *node) *node {
	if !p.oldLabels && p.pop(kindEmptyList) != nil {
		return p.leaf(kindLabelList)
	}
	parameters := parametersOf(t)
	if parameters == nil {
		return nil
	}
	if p.oldLabels {
		return p.labelsOfTypes(parameters)
	}
	n := 1
	if parameters.kind == kindTuple {
		n = len(parameters.children)
	}
	if n == 0 {
		return nil
	}
	return p.popLabelsOf(n)
}

// parametersOf returns the parameters of the type of a function, a tuple or a single
// type, nil if it is another type.
func parametersOf(t *node) *node {
	if !t.is(kindType) {
		return nil
	}
	f := t.child(0)
	if f.is(kindDependentGenericType) {
		f = f.child(1).child(0)
	}
	if !f.is(kindFunctionType) && !f.is(kindNoEscapeFunctionType) {
		return nil
	}
	return f.find(kindArgumentTuple).child(0).child(0)
}

// popLabelsOf takes n labels; an argument without one has a _.
func (p *parser) popLabelsOf(n int) *node {
	list := p.leaf(kindLabelList)
	labelled := false
	for range n {
		label := p.popAny()
		if !label.is(kindIdentifier) && !label.is(kindFirstElement) || add(list, label) == nil {
			return nil
		}
		labelled = labelled || label.kind == kindIdentifier
	}
	if !labelled {
		return p.leaf(kindLabelList)
	}
	list.reverse(0)
	return list
}

// labelsOfTypes moves the labels of Swift 4, which are part of the types, to a list.
func (p *parser) labelsOfTypes(parameters *node) *node {
	list := p.leaf(kindLabelList)
	if parameters.kind != kindTuple {
		return list
	}
	if len(parameters.children) == 0 {
		return nil
	}
	labelled := false
	for _, element := range parameters.children {
		label := p.leaf(kindFirstElement)
		for i, c := range element.children {
			if c.kind == kindTupleElementName {
				label = p.withText(kindIdentifier, c.text)
				element.children = append(element.children[:i:i], element.children[i+1:]...)
				labelled = true
				break
			}
		}
		if add(list, label) == nil {
			return nil
		}
	}
	if !labelled {
		return p.leaf(kindLabelList)
	}
	return list
}
