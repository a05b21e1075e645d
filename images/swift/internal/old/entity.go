package old

import (
	"stacksnap/images/swift/internal/tree"
)

// entity reads a declaration, which a Z for static may precede.
func (p *parser) entity() *tree.Node { return p.deeper((*parser).entityInner) }

func (p *parser) entityInner() *tree.Node {
	static := p.Accept('Z')
	n := p.declarationOrType()
	if static && n != nil && !tree.IsNominal(n.Kind) {
		return p.Node(tree.Static, n)
	}
	return n
}

func (p *parser) declarationOrType() *tree.Node {
	k := tree.None
	switch {
	case p.Accept('F'):
		k = tree.Function
	case p.Accept('v'):
		k = tree.Variable
	case p.Accept('I'):
		k = tree.Initializer
	case p.Accept('i'):
		k = tree.Subscript
	default:
		return p.nominal()
	}
	context := p.context()
	if context == nil {
		return nil
	}
	return p.entityIn(context, k)
}

// untypedKinds are the functions without a name and a type.
var untypedKinds = [128]tree.Kind{
	'D': tree.Deallocator, 'Z': tree.IsolatedDeallocator, 'd': tree.Destructor, 'e': tree.IVarInitializer, 'E': tree.IVarDestroyer,
}

// entityIn reads a declaration in a context. Without an operator for a more specific
// kind, the declaration is of kind k.
func (p *parser) entityIn(context *tree.Node, k tree.Kind) *tree.Node {
	c := p.Peek()
	if untyped := tree.At(&untypedKinds, c); untyped != tree.None {
		p.Pos++
		return p.Node(untyped, context)
	}
	if name := p.accessorName(); name != "" {
		return p.accessor(name, context)
	}
	switch {
	case p.Accept('C'):
		return p.Node(tree.Allocator, context, p.typed())
	case p.Accept('c'):
		return p.Node(tree.Constructor, context, p.typed())
	case p.Accept('U'):
		i := p.Number(p.Index())
		return p.Node(tree.ExplicitClosure, context, i, p.typed())
	case p.Accept('u'):
		i := p.Number(p.Index())
		return p.Node(tree.ImplicitClosure, context, i, p.typed())
	case k == tree.Initializer:
		return p.initializer(context)
	}
	name := p.declName()
	return p.named(k, context, name)
}

// named reads the type of a declaration and makes its node.
func (p *parser) named(k tree.Kind, context, name *tree.Node) *tree.Node {
	t := p.typed()
	if k != tree.Subscript {
		return p.Node(k, context, name, t)
	}
	n := p.Node(k, context, t)
	if name.Is(tree.PrivateDeclName) {
		tree.AddIf(n, name)
	}
	return n
}

func (p *parser) initializer(context *tree.Node) *tree.Node {
	switch {
	case p.Accept('A'):
		return p.Node(tree.DefaultArgument, context, p.Number(p.Index()))
	case p.Accept('i'):
		return p.WithText(tree.Initializer, tree.VariableInitializer, context)
	}
	return nil
}

// accessorNames are the letters of accessors.
var accessorNames = [128]string{
	'g': "getter", 'G': "getter", 's': "setter", 'm': "materializeForSet", 'w': "willset", 'W': "didset",
	'r': "read", 'M': "modify",
}

// accessorName reads the operator of an accessor and returns the accessor's name, ""
// if there is no such operator.
func (p *parser) accessorName() string {
	c := p.Peek()
	if name := tree.At(&accessorNames, c); name != "" {
		p.Pos++
		return name
	}
	if c != 'a' && c != 'l' || p.Pos+1 >= len(p.Name) {
		return ""
	}
	names, kind := &tree.AddressorNames, p.Name[p.Pos+1]
	if c == 'a' {
		names = &tree.MutableAddressorNames
		if kind == 'p' {
			kind = 'P'
		}
	}
	name := tree.At(names, kind)
	if name != "" {
		p.Pos += 2
	}
	return name
}

const subscriptName = "subscript"

// accessor reads the variable or subscript that the accessor belongs to.
func (p *parser) accessor(accessor string, context *tree.Node) *tree.Node {
	name := p.declName()
	k := tree.Variable
	switch {
	case name.Is(tree.Identifier) && name.Text == subscriptName:
		k = tree.Subscript
	case name.Is(tree.PrivateDeclName) && name.Child(1).Text == subscriptName:
		k = tree.Subscript
		name = p.Node(tree.PrivateDeclName, name.Child(0))
	}
	return p.AccessorNode(accessor, p.named(k, context, name))
}
