package swift

// popModule takes a module: an identifier is one where a context is wanted.
func (p *parser) popModule() *node {
	if name := p.pop(kindIdentifier); name != nil {
		return p.withText(kindModule, name.text)
	}
	return p.pop(kindModule)
}

// popContext takes what a declaration is in.
func (p *parser) popContext() *node {
	if m := p.popModule(); m != nil {
		return m
	}
	if t := p.popType(); t != nil {
		if n := t.child(0); n != nil && isContext(n.kind) {
			return n
		}
		return nil
	}
	return p.popIf(isContext)
}

func (p *parser) extension() *node {
	signature := p.pop(kindGenericSignature)
	module := p.popModule()
	n := p.node(kindExtension, module, p.popNominal())
	addIf(n, signature)
	return n
}

func (p *parser) static() *node { return p.node(kindStatic, p.popIf(isEntity)) }

// function takes a function: its signature, type, labels, name and context.
func (p *parser) function() *node {
	signature := p.pop(kindGenericSignature)
	t := p.functionType()
	labels := p.popLabels(t)
	if signature != nil {
		t = p.typed(p.node(kindDependentGenericType, signature, t))
	}
	name := p.popIf(isDeclName)
	return p.declaration(kindFunction, p.popContext(), name, labels, t)
}

// entity takes a declaration with a name and a type.
func (p *parser) entity(k kind) *node {
	t := p.popType()
	labels := p.popLabels(t)
	name := p.popIf(isDeclName)
	return p.declaration(k, p.popContext(), name, labels, t)
}

func (p *parser) declaration(k kind, context, name, labels, t *node) *node {
	n := p.node(k, context, name)
	addIf(n, labels)
	return add(n, t)
}

func (p *parser) variable() *node { return p.accessor(p.entity(kindVariable)) }

func (p *parser) subscript() *node {
	private := p.pop(kindPrivateDeclName)
	t := p.popType()
	labels := p.popLabels(t)
	n := p.node(kindSubscript, p.popContext())
	addIf(n, labels)
	n = add(n, t)
	addIf(n, private)
	return p.accessor(n)
}

// The names of accessors; those of addressors follow an a if they are for writing
// and an l if for reading.
var (
	accessorNames = [128]string{
		'm': "materializeForSet", 's': "setter", 'g': "getter", 'G': "getter", 'w': "willset", 'W': "didset",
		'r': "read", 'y': "read2", 'M': "modify", 'x': "modify2", 'i': "init", 'b': "borrow", 'z': "mutate",
	}
	mutableAddressorNames = [128]string{
		'O': "owningMutableAddressor", 'o': "nativeOwningMutableAddressor", 'P': "nativePinningMutableAddressor",
		'u': "unsafeMutableAddressor",
	}
	addressorNames = [128]string{
		'O': "owningAddressor", 'o': "nativeOwningAddressor", 'p': "nativePinningAddressor", 'u': "unsafeAddressor",
	}
)

// accessor reads which accessor of a variable or subscript is meant: p is itself.
func (p *parser) accessor(storage *node) *node {
	var name string
	switch c := p.next(); c {
	case 'p':
		return storage
	case 'a':
		name = at(&mutableAddressorNames, p.next())
	case 'l':
		name = at(&addressorNames, p.next())
	default:
		name = at(&accessorNames, c)
	}
	return p.accessorNode(name, storage)
}

func (a *arena) accessorNode(name string, storage *node) *node {
	n := a.node(kindAccessor, storage)
	if n == nil || name == "" {
		return nil
	}
	n.text = name
	return n
}

// The names of functions that have none in the source.
const (
	variableInitializer       = "variable initialization expression"
	wrapperBackingInitializer = "property wrapper backing initializer"
	wrappedFieldInitAccessor  = "property wrapped field init accessor"
	wrapperProjectedInit      = "property wrapper init from projected value"
)

// functionEntity reads the functions that have no name of their own.
func (p *parser) functionEntity() *node {
	switch p.next() {
	case 'D':
		return p.node(kindDeallocator, p.popContext())
	case 'd':
		return p.node(kindDestructor, p.popContext())
	case 'Z':
		return p.node(kindIsolatedDeallocator, p.popContext())
	case 'E':
		return p.node(kindIVarDestroyer, p.popContext())
	case 'e':
		return p.node(kindIVarInitializer, p.popContext())
	case 'C':
		return p.initializer(kindAllocator)
	case 'c':
		return p.initializer(kindConstructor)
	case 'U':
		return p.closure(kindExplicitClosure)
	case 'u':
		return p.closure(kindImplicitClosure)
	case 'm':
		return p.entity(kindMacro)
	case 'M':
		return p.macroExpansion()
	case 'p':
		return p.entity(kindGenericTypeParamDecl)
	}
	p.pos--
	return p.valueInitializer()
}

// valueInitializer reads what computes the first value of something.
func (p *parser) valueInitializer() *node {
	switch p.next() {
	case 'i':
		return p.namedInitializer(variableInitializer)
	case 'P':
		return p.namedInitializer(wrapperBackingInitializer)
	case 'F':
		return p.namedInitializer(wrappedFieldInitAccessor)
	case 'W':
		return p.namedInitializer(wrapperProjectedInit)
	case 'A':
		i := p.numberNode()
		return p.node(kindDefaultArgument, p.popContext(), i)
	}
	return nil
}

func (p *parser) namedInitializer(name string) *node {
	n := p.node(kindInitializer, p.popContext())
	if n != nil {
		n.text = name
	}
	return n
}

// initializer takes an init; its name is the private one, if any.
func (p *parser) initializer(k kind) *node {
	private := p.pop(kindPrivateDeclName)
	t := p.popType()
	labels := p.popLabels(t)
	n := p.node(k, p.popContext())
	addIf(n, labels)
	n = add(n, t)
	addIf(n, private)
	return n
}

func (p *parser) closure(k kind) *node {
	i := p.numberNode()
	t := p.popType()
	return p.node(k, p.popContext(), i, t)
}

// macroRoles are what macros can be attached as.
var macroRoles = [128]string{
	'a': "accessor", 'r': "memberAttribute", 'm': "member", 'p': "peer", 'c': "conformance", 'e': "extension",
	'q': "preamble", 'b': "body",
}

// macroExpansion reads an expansion of a macro, by what the macro is.
func (p *parser) macroExpansion() *node {
	c := p.next()
	if role := at(&macroRoles, c); role != "" {
		name := p.pop(kindIdentifier)
		attached := p.popIf(isDeclName)
		n := p.expansion(kindAttachedMacro, attached, name)
		if n != nil {
			n.text = role
		}
		return n
	}
	switch c {
	case 'f':
		name := p.pop(kindIdentifier)
		private := p.pop(kindPrivateDeclName)
		n := p.expansion(kindFreestandingMacro, nil, name)
		addIf(n, private)
		return n
	case 'u':
		return p.expansion(kindMacroUniqueName, nil, p.pop(kindIdentifier))
	case 'X':
		return p.macroLocation()
	}
	return nil
}

// expansion takes the context of an expansion: what it is in or another one.
func (p *parser) expansion(k kind, attached, name *node) *node {
	context := p.popIf(isMacroExpansion)
	if context == nil {
		context = p.popContext()
	}
	number := p.numberNode()
	if attached != nil {
		return p.node(k, context, attached, name, number)
	}
	return p.node(k, context, name, number)
}

func (p *parser) macroLocation() *node {
	line, column := p.numberNode(), p.numberNode()
	file := p.pop(kindIdentifier)
	return p.node(kindMacroLocation, p.pop(kindIdentifier), file, line, column)
}
