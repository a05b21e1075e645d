package swift

// functionType prints the type of a function, with the labels of the function that
// has it. Simplified, it is the labels only.
func (p *printer) functionType(labels, f *node) {
	if f == nil || !isFunctionType(f.kind) {
		p.failed = true
		return
	}
	p.convention(f)
	p.printIf(f.find(kindIsolatedAny))
	p.printIf(f.find(kindGlobalActor))
	p.printIf(f.find(kindDifferentiable))
	p.printIf(f.find(kindNonIsolatedCaller))
	p.printIf(f.find(kindSendable))
	p.parameters(labels, f.find(kindArgumentTuple), !p.simple)
	if p.simple {
		return
	}
	p.printIf(f.find(kindAsync))
	p.printIf(f.find(kindThrows))
	p.printIf(f.find(kindTypedThrows))
	p.write(" -> ")
	p.printIf(f.find(kindSendingResult))
	p.print(f.find(kindReturnType))
}

// convention prints how a function is called.
func (p *printer) convention(f *node) {
	switch f.kind {
	case kindAutoClosureType:
		p.write("@autoclosure ")
	case kindThinFunctionType:
		p.write("@convention(thin) ")
	case kindCFunctionPointer:
		p.clangConvention("@convention(c", f)
	case kindEscapingObjCBlock:
		p.clangConvention("@escaping @convention(block", f)
	case kindObjCBlock:
		p.clangConvention("@convention(block", f)
	}
}

func (p *printer) clangConvention(text string, f *node) {
	p.write(text)
	if clang := f.find(kindClangType); clang != nil {
		p.write(", mangledCType: \"")
		p.print(clang)
		p.write("\"")
	}
	p.write(") ")
}

// parameters prints labels and types, or labels only.
func (p *printer) parameters(labels, arguments *node, types bool) {
	inner := arguments.child(0).child(0)
	if !arguments.is(kindArgumentTuple) || inner == nil {
		p.failed = true
		return
	}
	p.write("(")
	switch {
	case inner.kind == kindTuple:
		p.labelled(labels, inner, types)
	case types:
		p.print(inner)
	default:
		p.write("_:")
	}
	p.write(")")
}

func (p *printer) labelled(labels, tuple *node, types bool) {
	for i, element := range tuple.children {
		if i > 0 && types {
			p.write(", ")
		}
		p.label(labels, element, i, types)
		if types {
			p.print(element)
		}
	}
}

// label prints the label of a parameter; the types of those that have no list of
// labels have their own.
func (p *printer) label(labels, element *node, i int, types bool) {
	own := element.find(kindTupleElementName)
	switch {
	case labels != nil && len(labels.children) > 0:
		if label := labels.child(i); label.is(kindIdentifier) {
			p.write(label.text)
		} else {
			p.write("_")
		}
		p.write(":")
		if types {
			p.write(" ")
		}
	case types:
	case own != nil:
		p.write(own.text)
		p.write(":")
	default:
		p.write("_:")
	}
}

// implNode prints functions of the intermediate language, and conformances.
func (p *printer) implNode(n *node) {
	switch n.kind {
	case kindImplFunctionType:
		p.implFunction(n)
	case kindImplParameter, kindImplResult:
		p.implValue(n)
	case kindProtocolConformance:
		p.conformance(n)
	case kindConcreteConformance:
		p.template("concrete protocol conformance %0 to %1", n)
		if needed := n.child(2); needed != nil && len(needed.children) > 0 {
			p.template(" with conditional requirements: %2", n)
		}
	case kindDependentConformance:
		p.write(n.text)
		if i := n.child(2); i.is(kindNumber) {
			p.write("#")
			p.writeInt(i.index)
			p.write(" ")
		}
		p.template("%0 to %1", n)
	case kindConformanceList:
		if len(n.children) > 0 {
			p.template("(%,)", n)
		}
	default:
		p.failed = true
	}
}

func (p *printer) conformance(n *node) {
	switch {
	case len(n.children) == 4:
		p.template("property behavior storage of %2 in %0 : %1", n)
	case p.simple:
		p.print(n.child(0))
	default:
		p.template("%0 : %1 in %2", n)
	}
}

// implFunction prints attributes, parameters and results, and what was put for
// generic parameters.
func (p *printer) implFunction(n *node) {
	pattern := n.find(kindImplPatternSubstitutions)
	for _, c := range n.children {
		if c.kind == kindImplAttribute || c.kind == kindGenericSignature {
			p.print(c)
			p.write(" ")
		}
	}
	if pattern != nil {
		p.write("@substituted ")
		p.print(pattern.child(0))
		p.write(" ")
	}
	p.write("(")
	p.implValues(n, kindImplParameter)
	p.write(") -> ")
	if sending := n.find(kindImplSendingResult); sending != nil {
		p.print(sending)
		p.write(" ")
	}
	p.write("(")
	p.implValues(n, kindImplResult)
	p.write(")")
	p.substituted(pattern.child(1))
	p.substituted(n.find(kindImplInvocationSubstitutions).child(0))
}

func (p *printer) substituted(types *node) {
	if types != nil {
		p.write(" for <")
		p.print(types)
		p.write(">")
	}
}

// implValues prints the parameters or the results.
func (p *printer) implValues(n *node, k kind) {
	first := true
	for _, c := range n.children {
		if c.kind != k {
			continue
		}
		if !first {
			p.write(", ")
		}
		first = false
		p.print(c)
	}
}

// implValue prints a convention, marks and a type. Swift's tools leave the marks out
// where there is more than one beside @noDerivative.
func (p *printer) implValue(n *node) {
	p.write(n.text)
	p.print(n.child(0))
	p.write(" ")
	if last := len(n.children) - 1; last > 0 {
		marks := n.children[1:last]
		if len(marks) < 2 || len(marks) == 2 && marks[0].text == noDerivativeMark {
			p.printList(marks, "")
		}
	}
	p.print(n.last())
}
