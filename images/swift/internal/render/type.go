package render

import (
	"stacksnap/images/swift/internal/tree"
)

// typeNode prints types.
func (p *printer) typeNode(n *tree.Node) {
	switch n.Kind {
	case tree.TupleElement:
		p.tupleElement(n)
	case tree.BoundGenericClass, tree.BoundGenericStructure, tree.BoundGenericEnum, tree.BoundGenericProtocol,
		tree.BoundGenericOtherNominalType, tree.BoundGenericTypeAlias:
		p.boundGeneric(n)
	case tree.SugaredOptional:
		p.withParentheses(n.Child(0))
		p.write("?")
	case tree.Metatype:
		p.metatype(n)
	case tree.ExistentialMetatype:
		p.representation(n)
		p.print(n.Last())
		p.write(".Type")
	case tree.ProtocolList:
		p.protocolList(n)
	case tree.ProtocolListWithClass:
		p.print(n.Child(1))
		p.write(" & ")
		p.printList(protocolsOf(n), " & ")
	case tree.ProtocolListWithAnyObject:
		for _, protocol := range protocolsOf(n) {
			p.print(protocol)
			p.write(" & ")
		}
		p.write("Swift.AnyObject")
	case tree.SILBoxTypeWithLayout:
		p.boxType(n)
	case tree.SILBoxLayout:
		p.boxLayout(n)
	default:
		p.failed = true
	}
}

func (p *printer) tupleElement(n *tree.Node) {
	if name := n.Find(tree.TupleElementName); name != nil {
		p.print(name)
	}
	p.print(n.Find(tree.Type))
	if n.Find(tree.Variadic) != nil {
		p.write("...")
	}
}

// boundGeneric prints a type with its generic arguments, in the source's short form
// if there is one.
func (p *printer) boundGeneric(n *tree.Node) {
	arguments := n.Child(1)
	if arguments == nil {
		p.failed = true
		return
	}
	if len(n.Children) == 2 && !p.nested && p.sugared(n, arguments.Children) {
		return
	}
	p.print(n.Child(0))
	p.write("<")
	p.printList(arguments.Children, ", ")
	p.write(">")
}

// sugared prints a type with a short form in the source, such as [Int] or Int?, and
// reports whether n is one.
func (p *printer) sugared(n *tree.Node, arguments []*tree.Node) bool {
	if n.Kind == tree.BoundGenericProtocol {
		p.printList(arguments, "")
		p.write(" as ")
		p.print(n.Child(0))
		return true
	}
	nominal := n.Child(0).Child(0)
	name := nominal.Child(1)
	if !name.Is(tree.Identifier) || !nominal.Child(0).Is(tree.Module) || nominal.Child(0).Text != tree.SwiftModule {
		return false
	}
	switch {
	case n.Kind == tree.BoundGenericEnum && name.Text == "Optional" && len(arguments) == 1:
		p.withParentheses(arguments[0])
		p.write("?")
	case n.Kind == tree.BoundGenericEnum && name.Text == "ImplicitlyUnwrappedOptional" && len(arguments) == 1:
		p.withParentheses(arguments[0])
		p.write("!")
	case n.Kind == tree.BoundGenericStructure && name.Text == "Array" && len(arguments) == 1:
		p.write("[")
		p.print(arguments[0])
		p.write("]")
	case n.Kind == tree.BoundGenericStructure && name.Text == "Dictionary" && len(arguments) == 2:
		p.write("[")
		p.printList(arguments, " : ")
		p.write("]")
	default:
		return false
	}
	return true
}

func (p *printer) withParentheses(t *tree.Node) {
	if isSimple(t) {
		p.print(t)
		return
	}
	p.write("(")
	p.print(t)
	p.write(")")
}

// isSimple reports whether ? or .Type may follow a type without parentheses.
func isSimple(t *tree.Node) bool {
	for t.Is(tree.Type) {
		t = t.Child(0)
	}
	if t == nil {
		return true
	}
	switch t.Kind {
	case tree.ProtocolList:
		return len(t.Child(0).Children) <= 1
	case tree.ProtocolListWithAnyObject:
		return len(protocolsOf(t)) == 0
	case tree.Class, tree.Structure, tree.Enum, tree.Protocol, tree.TypeAlias, tree.OtherNominalType, tree.Module,
		tree.BuiltinTupleType, tree.BuiltinTypeName, tree.SimpleType, tree.Tuple, tree.Integer, tree.TypeList,
		tree.BoundGenericClass, tree.BoundGenericStructure, tree.BoundGenericEnum, tree.BoundGenericProtocol,
		tree.BoundGenericOtherNominalType, tree.BoundGenericTypeAlias, tree.BoundGenericFunction,
		tree.AssociatedTypeRef, tree.DependentGenericType, tree.DependentMemberType, tree.GenericParam,
		tree.Metatype, tree.ExistentialMetatype, tree.SILBoxTypeWithLayout, tree.SugaredOptional:
		return true
	}
	return false
}

// representation prints the representation of a metatype, which is the first of two
// children.
func (p *printer) representation(n *tree.Node) {
	if len(n.Children) == 2 {
		p.print(n.Child(0))
		p.write(" ")
	}
}

func (p *printer) metatype(n *tree.Node) {
	p.representation(n)
	t := n.Last().Child(0)
	p.withParentheses(t)
	if t == nil {
		p.failed = true
		return
	}
	switch t.Kind {
	case tree.ExistentialMetatype, tree.ProtocolList, tree.ProtocolListWithClass, tree.ProtocolListWithAnyObject:
		p.write(".Protocol")
	default:
		p.write(".Type")
	}
}

func (p *printer) protocolList(n *tree.Node) {
	if list := n.Child(0); list != nil && len(list.Children) > 0 {
		p.printList(list.Children, " & ")
		return
	}
	p.write("Any")
}

// protocolsOf returns the protocols in a list that also has a class or AnyObject.
func protocolsOf(n *tree.Node) []*tree.Node {
	if list := n.Child(0).Child(0); list != nil {
		return list.Children
	}
	return nil
}

func (p *printer) boxType(n *tree.Node) {
	if signature := n.Child(1); signature != nil {
		p.print(signature)
		p.write(" ")
	}
	p.print(n.Child(0))
	if arguments := n.Child(2); arguments != nil {
		p.write(" <")
		p.printList(arguments.Children, ", ")
		p.write(">")
	}
}

func (p *printer) boxLayout(n *tree.Node) {
	p.write("{")
	for i, field := range n.Children {
		if i > 0 {
			p.write(",")
		}
		p.write(" ")
		p.print(field)
	}
	p.write(" }")
}
