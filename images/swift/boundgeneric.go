package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// boundGeneric applies generic arguments to a type and to the types that contain it.
func (p *parser) boundGeneric() *tree.Node {
	lists, conformances, ok := p.popArguments()
	nominal := p.popNominal()
	if !ok || nominal == nil {
		return nil
	}
	bound := p.bind(nominal, lists, 0)
	tree.AddIf(bound, conformances)
	return p.remembered(p.Typed(bound))
}

// popArguments pops lists of generic arguments, the innermost type's first, and the
// retroactive conformances after them, nil if there are none.
func (p *parser) popArguments() (lists []*tree.Node, conformances *tree.Node, ok bool) {
	for n := p.pop(tree.RetroactiveConformance); n != nil; n = p.pop(tree.RetroactiveConformance) {
		if conformances == nil {
			conformances = p.Leaf(tree.TypeList)
		}
		tree.AddIf(conformances, n)
	}
	if conformances != nil {
		conformances.Reverse(0)
	}
	for {
		list := p.Leaf(tree.TypeList)
		if list == nil {
			return nil, nil, false
		}
		for t := p.popType(); t != nil; t = p.popType() {
			tree.AddIf(list, t)
		}
		list.Reverse(0)
		lists = append(lists, list)
		if p.pop(tree.EmptyList) != nil {
			return lists, conformances, true
		}
		if p.pop(tree.FirstElement) == nil {
			return nil, nil, false
		}
	}
}

// bind applies the first of the lists to n, and the others to the contexts of n.
func (p *parser) bind(n *tree.Node, lists []*tree.Node, depth int) *tree.Node {
	if n == nil || len(lists) == 0 || len(n.Children) == 0 || depth > tree.MaxDepth {
		return nil
	}
	arguments := lists[0]
	takes := takesArguments(n.Kind)
	if takes {
		lists = lists[1:]
	}
	if len(lists) > 0 {
		n = p.within(n, p.bindContext(n.Children[0], lists, depth+1))
	}
	if n == nil || !takes || len(arguments.Children) == 0 {
		return n
	}
	if int(n.Kind) >= len(tree.BoundKinds) || tree.BoundKinds[n.Kind] == tree.None {
		return nil
	}
	k := tree.BoundKinds[n.Kind]
	if k == tree.BoundGenericFunction {
		return p.Node(k, n, arguments)
	}
	return p.Node(k, p.Typed(n), arguments)
}

// bindContext applies lists to a context. For an extension, it applies them to the
// extended type.
func (p *parser) bindContext(context *tree.Node, lists []*tree.Node, depth int) *tree.Node {
	if context.Kind != tree.Extension {
		return p.bind(context, lists, depth)
	}
	extension := p.Node(tree.Extension, context.Child(0), p.bind(context.Child(1), lists, depth))
	tree.AddIf(extension, context.Child(2))
	return extension
}

// within returns a copy of n with another context.
func (p *parser) within(n, context *tree.Node) *tree.Node {
	c := p.Node(n.Kind, context)
	if c == nil {
		return nil
	}
	c.Text, c.Index = n.Text, n.Index
	c.Children = append(c.Children, n.Children[1:]...)
	return c
}

// takesArguments reports whether a context has generic arguments of its own.
func takesArguments(k tree.Kind) bool {
	switch k {
	case tree.Variable, tree.Subscript, tree.ImplicitClosure, tree.ExplicitClosure, tree.DefaultArgument, tree.Initializer, tree.Static:
		return false
	}
	return true
}
