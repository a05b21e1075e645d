package render

import (
	"stacksnap/images/swift/internal/tree"
)

// functionType prints a function type with the argument labels of the function; in
// the simplified rendering, only the labels.
func (p *printer) functionType(labels, f *tree.Node) {
	if f == nil || !tree.IsFunctionType(f.Kind) {
		p.failed = true
		return
	}
	p.convention(f)
	p.printIf(f.Find(tree.IsolatedAny))
	p.printIf(f.Find(tree.GlobalActor))
	p.printIf(f.Find(tree.Differentiable))
	p.printIf(f.Find(tree.NonIsolatedCaller))
	p.printIf(f.Find(tree.Sendable))
	p.parameters(labels, f.Find(tree.ArgumentTuple), !p.simple)
	if p.simple {
		return
	}
	p.printIf(f.Find(tree.Async))
	p.printIf(f.Find(tree.Throws))
	p.printIf(f.Find(tree.TypedThrows))
	p.write(" -> ")
	p.printIf(f.Find(tree.SendingResult))
	p.print(f.Find(tree.ReturnType))
}

// convention prints the calling convention of a function type.
func (p *printer) convention(f *tree.Node) {
	switch f.Kind {
	case tree.AutoClosureType:
		p.write("@autoclosure ")
	case tree.ThinFunctionType:
		p.write("@convention(thin) ")
	case tree.CFunctionPointer:
		p.clangConvention("@convention(c", f)
	case tree.EscapingObjCBlock:
		p.clangConvention("@escaping @convention(block", f)
	case tree.ObjCBlock:
		p.clangConvention("@convention(block", f)
	}
}

func (p *printer) clangConvention(text string, f *tree.Node) {
	p.write(text)
	if clang := f.Find(tree.ClangType); clang != nil {
		p.write(", mangledCType: \"")
		p.print(clang)
		p.write("\"")
	}
	p.write(") ")
}

// parameters prints labels, and types if types is true.
func (p *printer) parameters(labels, arguments *tree.Node, types bool) {
	inner := arguments.Child(0).Child(0)
	if !arguments.Is(tree.ArgumentTuple) || inner == nil {
		p.failed = true
		return
	}
	p.write("(")
	switch {
	case inner.Kind == tree.Tuple:
		p.labelled(labels, inner, types)
	case types:
		p.print(inner)
	default:
		p.write("_:")
	}
	p.write(")")
}

func (p *printer) labelled(labels, tuple *tree.Node, types bool) {
	for i, element := range tuple.Children {
		if i > 0 && types {
			p.write(", ")
		}
		p.label(labels, element, i, types)
		if types {
			p.print(element)
		}
	}
}

// label prints the label of a parameter. Without a list of labels, the label is in
// the parameter's type.
func (p *printer) label(labels, element *tree.Node, i int, types bool) {
	own := element.Find(tree.TupleElementName)
	switch {
	case labels != nil && len(labels.Children) > 0:
		if label := labels.Child(i); label.Is(tree.Identifier) {
			p.write(label.Text)
		} else {
			p.write("_")
		}
		p.write(":")
		if types {
			p.write(" ")
		}
	case types:
	case own != nil:
		p.write(own.Text)
		p.write(":")
	default:
		p.write("_:")
	}
}

// implNode prints types of SIL functions, and conformances.
func (p *printer) implNode(n *tree.Node) {
	switch n.Kind {
	case tree.ImplFunctionType:
		p.implFunction(n)
	case tree.ImplParameter, tree.ImplResult:
		p.implValue(n)
	case tree.ProtocolConformance:
		p.conformance(n)
	case tree.ConcreteConformance:
		p.template("concrete protocol conformance %0 to %1", n)
		if needed := n.Child(2); needed != nil && len(needed.Children) > 0 {
			p.template(" with conditional requirements: %2", n)
		}
	case tree.DependentConformance:
		p.write(n.Text)
		if i := n.Child(2); i.Is(tree.Number) {
			p.write("#")
			p.writeInt(i.Index)
			p.write(" ")
		}
		p.template("%0 to %1", n)
	case tree.ConformanceList:
		if len(n.Children) > 0 {
			p.template("(%,)", n)
		}
	default:
		p.failed = true
	}
}

func (p *printer) conformance(n *tree.Node) {
	switch {
	case len(n.Children) == 4:
		p.template("property behavior storage of %2 in %0 : %1", n)
	case p.simple:
		p.print(n.Child(0))
	default:
		p.template("%0 : %1 in %2", n)
	}
}

// implFunction prints attributes, parameters, results, and the substitutions of
// generic parameters.
func (p *printer) implFunction(n *tree.Node) {
	pattern := n.Find(tree.ImplPatternSubstitutions)
	for _, c := range n.Children {
		if c.Kind == tree.ImplAttribute || c.Kind == tree.GenericSignature {
			p.print(c)
			p.write(" ")
		}
	}
	if pattern != nil {
		p.write("@substituted ")
		p.print(pattern.Child(0))
		p.write(" ")
	}
	p.write("(")
	p.implValues(n, tree.ImplParameter)
	p.write(") -> ")
	if sending := n.Find(tree.ImplSendingResult); sending != nil {
		p.print(sending)
		p.write(" ")
	}
	p.write("(")
	p.implValues(n, tree.ImplResult)
	p.write(")")
	p.substituted(pattern.Child(1))
	p.substituted(n.Find(tree.ImplInvocationSubstitutions).Child(0))
}

func (p *printer) substituted(types *tree.Node) {
	if types != nil {
		p.write(" for <")
		p.print(types)
		p.write(">")
	}
}

// implValues prints the children of kind k: the parameters or the results.
func (p *printer) implValues(n *tree.Node, k tree.Kind) {
	first := true
	for _, c := range n.Children {
		if c.Kind != k {
			continue
		}
		if !first {
			p.write(", ")
		}
		first = false
		p.print(c)
	}
}

// implValue prints a convention, flags and a type. Like Swift's tools, it omits the
// flags if there are several besides @noDerivative.
func (p *printer) implValue(n *tree.Node) {
	p.write(n.Text)
	p.print(n.Child(0))
	p.write(" ")
	if last := len(n.Children) - 1; last > 0 {
		marks := n.Children[1:last]
		if len(marks) < 2 || len(marks) == 2 && marks[0].Text == tree.NoDerivativeMark {
			p.printList(marks, "")
		}
	}
	p.print(n.Last())
}
