package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// popModule pops a module. Where a context is expected, an identifier is a module.
func (p *parser) popModule() *tree.Node {
	if name := p.pop(tree.Identifier); name != nil {
		return p.WithText(tree.Module, name.Text)
	}
	return p.pop(tree.Module)
}

// popContext pops the context of a declaration: a module, a type, or another entity.
func (p *parser) popContext() *tree.Node {
	if m := p.popModule(); m != nil {
		return m
	}
	if t := p.popType(); t != nil {
		if n := t.Child(0); n != nil && tree.IsContext(n.Kind) {
			return n
		}
		return nil
	}
	return p.popIf(tree.IsContext)
}

func (p *parser) extension() *tree.Node {
	signature := p.pop(tree.GenericSignature)
	module := p.popModule()
	n := p.Node(tree.Extension, module, p.popNominal())
	tree.AddIf(n, signature)
	return n
}

func (p *parser) static() *tree.Node { return p.Node(tree.Static, p.popIf(tree.IsEntity)) }

// function pops the parts of a function: generic signature, type, labels, name and
// context.
func (p *parser) function() *tree.Node {
	signature := p.pop(tree.GenericSignature)
	t := p.functionType()
	labels := p.popLabels(t)
	if signature != nil {
		t = p.Typed(p.Node(tree.DependentGenericType, signature, t))
	}
	name := p.popIf(tree.IsDeclName)
	return p.declaration(tree.Function, p.popContext(), name, labels, t)
}

// entity pops the parts of a declaration that has a name and a type.
func (p *parser) entity(k tree.Kind) *tree.Node {
	t := p.popType()
	labels := p.popLabels(t)
	name := p.popIf(tree.IsDeclName)
	return p.declaration(k, p.popContext(), name, labels, t)
}

func (p *parser) declaration(k tree.Kind, context, name, labels, t *tree.Node) *tree.Node {
	n := p.Node(k, context, name)
	tree.AddIf(n, labels)
	return tree.Add(n, t)
}

func (p *parser) variable() *tree.Node { return p.accessor(p.entity(tree.Variable)) }

func (p *parser) subscript() *tree.Node {
	private := p.pop(tree.PrivateDeclName)
	t := p.popType()
	labels := p.popLabels(t)
	n := p.Node(tree.Subscript, p.popContext())
	tree.AddIf(n, labels)
	n = tree.Add(n, t)
	tree.AddIf(n, private)
	return p.accessor(n)
}

// accessor reads the accessor of a variable or subscript. p means the variable or
// subscript itself.
func (p *parser) accessor(storage *tree.Node) *tree.Node {
	var name string
	switch c := p.Next(); c {
	case 'p':
		return storage
	case 'a':
		name = tree.At(&tree.MutableAddressorNames, p.Next())
	case 'l':
		name = tree.At(&tree.AddressorNames, p.Next())
	default:
		name = tree.At(&tree.AccessorNames, c)
	}
	return p.AccessorNode(name, storage)
}

// Names of functions that have no name in the source.
const (
	wrapperBackingInitializer = "property wrapper backing initializer"
	wrappedFieldInitAccessor  = "property wrapped field init accessor"
	wrapperProjectedInit      = "property wrapper init from projected value"
)

// functionEntity reads an entity without a name of its own, such as an init or a
// closure.
func (p *parser) functionEntity() *tree.Node {
	switch p.Next() {
	case 'D':
		return p.Node(tree.Deallocator, p.popContext())
	case 'd':
		return p.Node(tree.Destructor, p.popContext())
	case 'Z':
		return p.Node(tree.IsolatedDeallocator, p.popContext())
	case 'E':
		return p.Node(tree.IVarDestroyer, p.popContext())
	case 'e':
		return p.Node(tree.IVarInitializer, p.popContext())
	case 'C':
		return p.initializer(tree.Allocator)
	case 'c':
		return p.initializer(tree.Constructor)
	case 'U':
		return p.closure(tree.ExplicitClosure)
	case 'u':
		return p.closure(tree.ImplicitClosure)
	case 'm':
		return p.entity(tree.Macro)
	case 'M':
		return p.macroExpansion()
	case 'p':
		return p.entity(tree.GenericTypeParamDecl)
	}
	p.Pos--
	return p.valueInitializer()
}

// valueInitializer reads a function that computes an initial value or a default
// argument.
func (p *parser) valueInitializer() *tree.Node {
	switch p.Next() {
	case 'i':
		return p.namedInitializer(tree.VariableInitializer)
	case 'P':
		return p.namedInitializer(wrapperBackingInitializer)
	case 'F':
		return p.namedInitializer(wrappedFieldInitAccessor)
	case 'W':
		return p.namedInitializer(wrapperProjectedInit)
	case 'A':
		i := p.Number(p.Index())
		return p.Node(tree.DefaultArgument, p.popContext(), i)
	}
	return nil
}

func (p *parser) namedInitializer(name string) *tree.Node {
	return p.WithText(tree.Initializer, name, p.popContext())
}

// initializer pops the parts of an init. Only a private init has a name.
func (p *parser) initializer(k tree.Kind) *tree.Node {
	private := p.pop(tree.PrivateDeclName)
	t := p.popType()
	labels := p.popLabels(t)
	n := p.Node(k, p.popContext())
	tree.AddIf(n, labels)
	n = tree.Add(n, t)
	tree.AddIf(n, private)
	return n
}

func (p *parser) closure(k tree.Kind) *tree.Node {
	i := p.Number(p.Index())
	t := p.popType()
	return p.Node(k, p.popContext(), i, t)
}

// macroRoles are the roles of attached macros.
var macroRoles = [128]string{
	'a': "accessor", 'r': "memberAttribute", 'm': "member", 'p': "peer", 'c': "conformance", 'e': "extension",
	'q': "preamble", 'b': "body",
}

// macroExpansion reads a macro expansion, by the letter of the macro's role or kind.
func (p *parser) macroExpansion() *tree.Node {
	c := p.Next()
	if role := tree.At(&macroRoles, c); role != "" {
		name := p.pop(tree.Identifier)
		attached := p.popIf(tree.IsDeclName)
		n := p.expansion(tree.AttachedMacro, attached, name)
		if n != nil {
			n.Text = role
		}
		return n
	}
	switch c {
	case 'f':
		name := p.pop(tree.Identifier)
		private := p.pop(tree.PrivateDeclName)
		n := p.expansion(tree.FreestandingMacro, nil, name)
		tree.AddIf(n, private)
		return n
	case 'u':
		return p.expansion(tree.MacroUniqueName, nil, p.pop(tree.Identifier))
	case 'X':
		return p.macroLocation()
	}
	return nil
}

// expansion pops the context of a macro expansion: another expansion, or a
// declaration's context.
func (p *parser) expansion(k tree.Kind, attached, name *tree.Node) *tree.Node {
	context := p.popIf(tree.IsMacroExpansion)
	if context == nil {
		context = p.popContext()
	}
	number := p.Number(p.Index())
	if attached != nil {
		return p.Node(k, context, attached, name, number)
	}
	return p.Node(k, context, name, number)
}

func (p *parser) macroLocation() *tree.Node {
	line, column := p.Number(p.Index()), p.Number(p.Index())
	file := p.pop(tree.Identifier)
	return p.Node(tree.MacroLocation, p.pop(tree.Identifier), file, line, column)
}
