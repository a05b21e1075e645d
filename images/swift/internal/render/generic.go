package render

import (
	"stacksnap/images/swift/internal/tree"
)

// maxShownParams is the maximum number of parameters printed for one depth. A damaged
// name can have any number.
const maxShownParams = 128

// genericNode prints generic signatures, parameters and requirements.
func (p *printer) genericNode(n *tree.Node) {
	switch n.Kind {
	case tree.GenericParam:
		p.paramName(n.Child(0).Index, n.Child(1).Index)
	case tree.AssociatedTypeName:
		if protocol := n.Child(1); protocol != nil {
			p.print(protocol)
			p.write(".")
		}
		p.print(n.Child(0))
	case tree.DependentGenericType:
		p.print(n.Child(0))
		if needsSpace(n.Child(1)) {
			p.write(" ")
		}
		p.print(n.Child(1))
	case tree.GenericSignature:
		p.signature(n)
	case tree.InverseRequirement:
		p.inverseRequirement(n)
	case tree.LayoutRequirement:
		p.layoutRequirement(n)
	default:
		p.failed = true
	}
}

// paramName prints a generated name for a generic parameter: A, B …, followed by the
// depth unless it is 0.
func (p *printer) paramName(depth, index int) {
	for {
		p.out = append(p.out, byte('A'+index%26))
		if index /= 26; index == 0 {
			break
		}
	}
	if depth != 0 {
		p.writeInt(depth)
	}
}

// signature prints the parameters by depth, and the requirements. The markers of
// packs and values come between them in the tree.
func (p *printer) signature(n *tree.Node) {
	counts, rest := leading(n.Children, tree.GenericParamCount, tree.GenericParamCount)
	markers, requirements := leading(rest, tree.PackMarker, tree.ValueMarker)
	p.write("<")
	for depth, count := range counts {
		if depth > 0 {
			p.write("><")
		}
		p.params(markers, depth, count.Index)
	}
	if len(requirements) > 0 && !p.simple {
		p.write(" where ")
		p.printList(requirements, ", ")
	}
	p.write(">")
}

// leading splits off the leading nodes of kind k1 or k2.
func leading(list []*tree.Node, k1, k2 tree.Kind) (first, rest []*tree.Node) {
	for i, n := range list {
		if n.Kind != k1 && n.Kind != k2 {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

// params prints the parameters at one depth.
func (p *printer) params(markers []*tree.Node, depth, count int) {
	for i := range count {
		if i > 0 {
			p.write(", ")
		}
		if i >= maxShownParams {
			p.write("...")
			return
		}
		if p.steps += 1 + len(markers); p.steps > maxSteps {
			p.failed = true
			return
		}
		p.param(markers, depth, i)
	}
}

// param prints one parameter.
func (p *printer) param(markers []*tree.Node, depth, index int) {
	m := marker(markers, depth, index)
	if m.Is(tree.PackMarker) {
		p.write("each ")
	}
	if m.Is(tree.ValueMarker) {
		p.write("let ")
	}
	p.paramName(depth, index)
	if m.Is(tree.ValueMarker) {
		p.write(": ")
		p.print(m.Child(1))
	}
}

// marker returns the node that marks a parameter as a pack or a value, nil if there
// is none.
func marker(markers []*tree.Node, depth, index int) *tree.Node {
	for _, m := range markers {
		param := m.Child(0).Child(0)
		if param.Is(tree.GenericParam) && param.Child(0).Index == depth && param.Child(1).Index == index {
			return m
		}
	}
	return nil
}

// invertible are the protocols that types conform to by default, unless they opt out
// (~Copyable).
var invertible = [...]string{"Copyable", "Escapable"}

func (p *printer) inverseRequirement(n *tree.Node) {
	p.print(n.Child(0))
	p.write(": ~Swift.")
	bit := n.Child(1).Index
	if bit < len(invertible) {
		p.write(invertible[bit])
		return
	}
	p.write("<bit ")
	p.writeInt(bit)
	p.write(">")
}

func (p *printer) layoutRequirement(n *tree.Node) {
	p.template("%0: ", n)
	p.write(n.Child(1).Text)
	if sizes := n.Children[2:]; len(sizes) > 0 {
		p.write("(")
		p.printList(sizes, ", ")
		p.write(")")
	}
}
