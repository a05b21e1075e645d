package swift

// entity reads a declaration, and static before it.
func (p *oldParser) entity() *node { return p.deeper((*oldParser).entityInner) }

func (p *oldParser) entityInner() *node {
	static := p.accept('Z')
	n := p.declarationOrType()
	if static && n != nil && !isNominal(n.kind) {
		return p.node(kindStatic, n)
	}
	return n
}

func (p *oldParser) declarationOrType() *node {
	k := kindNone
	switch {
	case p.accept('F'):
		k = kindFunction
	case p.accept('v'):
		k = kindVariable
	case p.accept('I'):
		k = kindInitializer
	case p.accept('i'):
		k = kindSubscript
	default:
		return p.nominal()
	}
	context := p.context()
	if context == nil {
		return nil
	}
	return p.entityIn(context, k)
}

// oldUntyped are the functions that have neither a name nor a type.
var oldUntyped = [128]kind{
	'D': kindDeallocator, 'Z': kindIsolatedDeallocator, 'd': kindDestructor, 'e': kindIVarInitializer, 'E': kindIVarDestroyer,
}

// entityIn reads a declaration in a context; k is what it is if no operator tells
// more.
func (p *oldParser) entityIn(context *node, k kind) *node {
	c := p.peek()
	if untyped := at(&oldUntyped, c); untyped != kindNone {
		p.pos++
		return p.node(untyped, context)
	}
	if name := p.accessorName(); name != "" {
		return p.accessor(name, context)
	}
	switch {
	case p.accept('C'):
		return p.node(kindAllocator, context, p.typed())
	case p.accept('c'):
		return p.node(kindConstructor, context, p.typed())
	case p.accept('U'):
		i := p.numberNode()
		return p.node(kindExplicitClosure, context, i, p.typed())
	case p.accept('u'):
		i := p.numberNode()
		return p.node(kindImplicitClosure, context, i, p.typed())
	case k == kindInitializer:
		return p.initializer(context)
	}
	name := p.declName()
	return p.named(k, context, name)
}

// named makes a declaration with a name and reads its type.
func (p *oldParser) named(k kind, context, name *node) *node {
	t := p.typed()
	if k != kindSubscript {
		return p.node(k, context, name, t)
	}
	n := p.node(k, context, t)
	if name.is(kindPrivateDeclName) {
		addIf(n, name)
	}
	return n
}

func (p *oldParser) initializer(context *node) *node {
	switch {
	case p.accept('A'):
		return p.node(kindDefaultArgument, context, p.numberNode())
	case p.accept('i'):
		n := p.node(kindInitializer, context)
		if n != nil {
			n.text = variableInitializer
		}
		return n
	}
	return nil
}

// oldAccessors are the letters of accessors.
var oldAccessors = [128]string{
	'g': "getter", 'G': "getter", 's': "setter", 'm': "materializeForSet", 'w': "willset", 'W': "didset",
	'r': "read", 'M': "modify",
}

// accessorName reads which accessor is meant, "" if none is.
func (p *oldParser) accessorName() string {
	c := p.peek()
	if name := at(&oldAccessors, c); name != "" {
		p.pos++
		return name
	}
	if c != 'a' && c != 'l' || p.pos+1 >= len(p.name) {
		return ""
	}
	names, kind := &addressorNames, p.name[p.pos+1]
	if c == 'a' {
		names = &mutableAddressorNames
		if kind == 'p' {
			kind = 'P'
		}
	}
	name := at(names, kind)
	if name != "" {
		p.pos += 2
	}
	return name
}

const subscriptName = "subscript"

// accessor reads the variable or subscript that an accessor is of.
func (p *oldParser) accessor(accessor string, context *node) *node {
	name := p.declName()
	k := kindVariable
	switch {
	case name.is(kindIdentifier) && name.text == subscriptName:
		k = kindSubscript
	case name.is(kindPrivateDeclName) && name.child(1).text == subscriptName:
		k = kindSubscript
		name = p.node(kindPrivateDeclName, name.child(0))
	}
	return p.accessorNode(accessor, p.named(k, context, name))
}
