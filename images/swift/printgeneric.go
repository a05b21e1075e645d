package swift

// maxShownParams is how many parameters at one depth are told: in a name that is
// damaged it may be any number.
const maxShownParams = 128

// genericNode prints generics.
func (p *printer) genericNode(n *node) {
	switch n.kind {
	case kindGenericParam:
		p.paramName(n.child(0).index, n.child(1).index)
	case kindAssociatedTypeName:
		if protocol := n.child(1); protocol != nil {
			p.print(protocol)
			p.write(".")
		}
		p.print(n.child(0))
	case kindDependentGenericType:
		p.print(n.child(0))
		if needsSpace(n.child(1)) {
			p.write(" ")
		}
		p.print(n.child(1))
	case kindGenericSignature:
		p.signature(n)
	case kindInverseRequirement:
		p.inverseRequirement(n)
	case kindLayoutRequirement:
		p.layoutRequirement(n)
	default:
		p.failed = true
	}
}

// paramName prints the name that a parameter has in renderings: A, B …, with the
// depth after it.
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

// signature prints the parameters by depth, and the requirements. What says that a
// parameter is a pack or a value is between them.
func (p *printer) signature(n *node) {
	counts, rest := leading(n.children, kindGenericParamCount, kindGenericParamCount)
	markers, requirements := leading(rest, kindPackMarker, kindValueMarker)
	p.write("<")
	for depth, count := range counts {
		if depth > 0 {
			p.write("><")
		}
		p.params(markers, depth, count.index)
	}
	if len(requirements) > 0 && !p.simple {
		p.write(" where ")
		p.printList(requirements, ", ")
	}
	p.write(">")
}

// leading parts those of two kinds that come first from the rest.
func leading(list []*node, k1, k2 kind) (first, rest []*node) {
	for i, n := range list {
		if n.kind != k1 && n.kind != k2 {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

// params prints the parameters at a depth.
func (p *printer) params(markers []*node, depth, count int) {
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
func (p *printer) param(markers []*node, depth, index int) {
	m := marker(markers, depth, index)
	if m.is(kindPackMarker) {
		p.write("each ")
	}
	if m.is(kindValueMarker) {
		p.write("let ")
	}
	p.paramName(depth, index)
	if m.is(kindValueMarker) {
		p.write(": ")
		p.print(m.child(1))
	}
}

// marker returns what says that a parameter is a pack or a value, nil if nothing
// does.
func marker(markers []*node, depth, index int) *node {
	for _, m := range markers {
		param := m.child(0).child(0)
		if param.is(kindGenericParam) && param.child(0).index == depth && param.child(1).index == index {
			return m
		}
	}
	return nil
}

// invertible are the protocols that types conform to unless they say that not.
var invertible = [...]string{"Copyable", "Escapable"}

func (p *printer) inverseRequirement(n *node) {
	p.print(n.child(0))
	p.write(": ~Swift.")
	bit := n.child(1).index
	if bit < len(invertible) {
		p.write(invertible[bit])
		return
	}
	p.write("<bit ")
	p.writeInt(bit)
	p.write(">")
}

func (p *printer) layoutRequirement(n *node) {
	p.template("%0: ", n)
	p.write(n.child(1).text)
	if sizes := n.children[2:]; len(sizes) > 0 {
		p.write("(")
		p.printList(sizes, ", ")
		p.write(")")
	}
}
