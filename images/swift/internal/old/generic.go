package old

import (
	"stacksnap/images/swift/internal/tree"
)

func (p *parser) boundGeneric() *tree.Node {
	n := p.nominal()
	if n == nil {
		return nil
	}
	return p.bind(n, 0)
}

// bind reads the generic arguments of the contexts of n, then those of n.
func (p *parser) bind(n *tree.Node, depth int) *tree.Node {
	context := n.Child(0)
	if context == nil || depth > maxDepth {
		return nil
	}
	switch context.Kind {
	case tree.Module, tree.Function, tree.Extension:
	default:
		inner := p.bind(context, depth+1)
		if inner == nil {
			return nil
		}
		rest := n.Children[1:]
		if n = p.Node(n.Kind, inner); n == nil {
			return nil
		}
		n.Children = append(n.Children, rest...)
	}
	arguments := p.types()
	if arguments == nil || len(arguments.Children) == 0 {
		if arguments == nil {
			return nil
		}
		return n
	}
	switch n.Kind {
	case tree.Class, tree.Structure, tree.Enum:
		return p.Node(tree.BoundKinds[n.Kind], p.Arena.Typed(n), arguments)
	}
	return nil
}

// genericType reads a type that depends on generic parameters.
func (p *parser) genericType(c byte) *tree.Node {
	switch c {
	case 'Q':
		return p.archetypeOrOpaque()
	case 'q':
		return p.dependentType()
	case 'x':
		return p.GenericParam(0, 0)
	case 'w':
		return p.member(p.Arena.Typed(p.paramIndex()))
	case 'W':
		return p.compoundMember()
	case 'u':
		signature := p.signature()
		return p.Node(tree.DependentGenericType, signature, p.typed())
	}
	return nil
}

func (p *parser) archetypeOrOpaque() *tree.Node {
	switch {
	case p.Accept('u'):
		return p.Leaf(tree.OpaqueReturnType)
	case p.Accept('U'):
		if p.Index() < 0 {
			return nil
		}
		return p.Leaf(tree.OpaqueReturnType)
	}
	return p.archetype()
}

// archetype reads an associated type.
func (p *parser) archetype() *tree.Node {
	var root *tree.Node
	switch {
	case p.Accept('Q'):
		root = p.deeper((*parser).archetype)
	case p.Accept('S'):
		root = p.substitution()
	case p.Accept('s'):
		root = p.WithText(tree.Module, tree.SwiftModule)
	}
	if root == nil {
		return nil
	}
	return p.remember(p.Node(tree.AssociatedTypeRef, root, p.identifier(tree.Identifier)))
}

func (p *parser) dependentType() *tree.Node {
	if c := p.Peek(); c != 'd' && c != '_' && !tree.IsDigit(c) {
		return p.member(p.typed())
	}
	return p.paramIndex()
}

// paramIndex reads the depth and index of a generic parameter.
func (p *parser) paramIndex() *tree.Node {
	switch {
	case p.Accept('d'):
		depth := p.Index() + 1
		return p.GenericParam(depth, p.Index())
	case p.Accept('x'):
		return p.GenericParam(0, 0)
	}
	return p.GenericParam(0, p.Index()+1)
}

// member reads the name of an associated type of base.
func (p *parser) member(base *tree.Node) *tree.Node {
	if base == nil {
		return nil
	}
	if p.Accept('S') {
		name := p.substitution()
		if !name.Is(tree.AssociatedTypeName) {
			return nil
		}
		return p.Node(tree.DependentMemberType, base, name)
	}
	var protocol *tree.Node
	if p.Accept('P') {
		if protocol = p.protocolType(); protocol == nil {
			return nil
		}
	}
	name := p.Node(tree.AssociatedTypeName, p.identifier(tree.Identifier))
	tree.AddIf(name, protocol)
	return p.Node(tree.DependentMemberType, base, p.remember(name))
}

// compoundMember reads a path of associated types: each is a member of the one
// before, the first of a generic parameter.
func (p *parser) compoundMember() *tree.Node {
	base := p.paramIndex()
	for base != nil && !p.Accept('_') {
		base = p.member(p.Arena.Typed(base))
	}
	return base
}

// signature reads a generic signature: the number of parameters at each depth, and
// the requirements.
func (p *parser) signature() *tree.Node {
	s := p.Leaf(tree.GenericSignature)
	for s != nil && p.Peek() != 'R' && p.Peek() != 'r' {
		count := 0
		if !p.Accept('z') {
			if count = p.Index() + 1; count < 0 {
				return nil
			}
		}
		s = tree.Add(s, p.WithIndex(tree.GenericParamCount, count))
	}
	if s == nil {
		return nil
	}
	if len(s.Children) == 0 {
		s = tree.Add(s, p.WithIndex(tree.GenericParamCount, 1))
	}
	if p.Accept('r') {
		return s
	}
	p.Pos++ // the R
	for s != nil && !p.Accept('r') {
		s = tree.Add(s, p.requirement())
	}
	return s
}

// requirement reads a requirement on a parameter or associated type.
func (p *parser) requirement() *tree.Node {
	t := p.Arena.Typed(p.constrained())
	if t == nil {
		return nil
	}
	switch {
	case p.Accept('z'):
		return p.WithText(tree.Requirement, "%0 == %1", t, p.typed())
	case p.Accept('l'):
		return p.layoutRequirement(t)
	case p.Peek() == 'C':
		return p.WithText(tree.Requirement, "%0: %1", t, p.typed())
	case p.Accept('S'):
		return p.WithText(tree.Requirement, "%0: %1", t, p.Arena.Typed(p.protocolOrClass()))
	}
	return p.WithText(tree.Requirement, "%0: %1", t, p.protocolType())
}

func (p *parser) protocolOrClass() *tree.Node {
	n := p.substitution()
	if n.Is(tree.Protocol) || n.Is(tree.Class) {
		return n
	}
	return p.protocolIn(n)
}

func (p *parser) constrained() *tree.Node {
	switch {
	case p.Accept('w'):
		return p.member(p.Arena.Typed(p.paramIndex()))
	case p.Accept('W'):
		return p.compoundMember()
	}
	return p.paramIndex()
}

// layoutRequirement reads a layout, its size and its alignment. Unlike other indices,
// these end with a _ only between the two.
func (p *parser) layoutRequirement(t *tree.Node) *tree.Node {
	c := p.Next()
	if c == 'C' || c == 'D' {
		return nil
	}
	name := tree.At(&tree.Layouts, c)
	if name == "" {
		return nil
	}
	n := p.Node(tree.LayoutRequirement, t, p.WithText(tree.Text, name))
	for i := range tree.SizedLayouts[c] {
		if i > 0 && !p.Accept('_') {
			return nil
		}
		size := p.Natural()
		if size < 0 {
			return nil
		}
		n = tree.Add(n, p.WithIndex(tree.Number, size))
	}
	return n
}
