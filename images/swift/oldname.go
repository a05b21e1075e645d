package swift

// declName reads the name of a declaration: in a function, private, or plain.
func (p *oldParser) declName() *node {
	switch {
	case p.accept('L'):
		number := p.numberNode()
		return p.node(kindLocalDeclName, number, p.identifier(kindIdentifier))
	case p.accept('P'):
		file := p.identifier(kindIdentifier)
		return p.node(kindPrivateDeclName, file, p.identifier(kindIdentifier))
	}
	return p.identifier(kindIdentifier)
}

func (p *oldParser) numberNode() *node {
	if i := p.index(); i >= 0 {
		return p.withIndex(kindNumber, i)
	}
	return nil
}

// identifier reads an identifier or an operator.
func (p *oldParser) identifier(k kind) *node {
	punycoded := p.accept('X')
	fixity := ""
	if k == kindIdentifier && p.accept('o') {
		if fixity = at(&fixities, p.next()); fixity == "" {
			return nil
		}
		k = kindOperator
	}
	text, ok := p.take(p.natural())
	if ok && punycoded {
		text, ok = decodePunycode(text)
	}
	if ok && k == kindOperator {
		text, ok = operatorText(text)
	}
	if !ok || text == "" {
		return nil
	}
	return p.withText(k, text+fixity)
}

// oldStandardTypes are the types of the standard library that have a letter.
var oldStandardTypes = [128]string{
	'a': "Array", 'b': "Bool", 'c': "UnicodeScalar", 'd': "Double", 'f': "Float", 'i': "Int", 'V': "UnsafeRawPointer",
	'v': "UnsafeMutableRawPointer", 'P': "UnsafePointer", 'p': "UnsafeMutablePointer", 'q': "|Optional",
	'Q': "|ImplicitlyUnwrappedOptional", 'R': "UnsafeBufferPointer", 'r': "UnsafeMutableBufferPointer",
	'S': "String", 'u': "UInt",
}

// substitution reads a reference to what came before or is known to all.
func (p *oldParser) substitution() *node {
	switch {
	case p.accept('o'):
		return p.withText(kindModule, objCModule)
	case p.accept('C'):
		return p.withText(kindModule, clangModule)
	}
	if standard := at(&oldStandardTypes, p.peek()); standard != "" {
		p.pos++
		name, k := standardType(standard)
		return p.node(k, p.withText(kindModule, swiftModule), p.withText(kindIdentifier, name))
	}
	i := p.index()
	if i < 0 || i >= len(p.substitutions) {
		return nil
	}
	return p.substitutions[i]
}

func (p *oldParser) module() *node {
	switch {
	case p.accept('s'):
		return p.withText(kindModule, swiftModule)
	case p.accept('S'):
		n := p.substitution()
		if !n.is(kindModule) {
			return nil
		}
		return n
	}
	return p.remember(p.identifier(kindModule))
}

// declaration reads the context and the name of a type.
func (p *oldParser) declaration(k kind) *node {
	context := p.context()
	return p.remember(p.node(k, context, p.declName()))
}

// protocolType reads a protocol, as a type.
func (p *oldParser) protocolType() *node { return p.arena.typed(p.deeper((*oldParser).protocol)) }

func (p *oldParser) protocol() *node {
	switch {
	case p.accept('S'):
		n := p.substitution()
		if n.is(kindProtocol) {
			return n
		}
		return p.protocolIn(n)
	case p.accept('s'):
		return p.protocolIn(p.withText(kindModule, swiftModule))
	}
	return p.declaration(kindProtocol)
}

func (p *oldParser) protocolIn(module *node) *node {
	if !module.is(kindModule) {
		return nil
	}
	return p.remember(p.node(kindProtocol, module, p.declName()))
}

// oldNominals are the operators of types that have a name.
var oldNominals = [128]kind{'V': kindStructure, 'O': kindEnum, 'C': kindClass, 'P': kindProtocol}

func (p *oldParser) nominal() *node {
	if p.accept('S') {
		return p.substitution()
	}
	k := at(&oldNominals, p.peek())
	if k == kindNone {
		return nil
	}
	p.pos++
	return p.declaration(k)
}

// context reads what a declaration is in.
func (p *oldParser) context() *node { return p.deeper((*oldParser).contextInner) }

func (p *oldParser) contextInner() *node {
	switch {
	case p.accept('E'):
		module := p.module()
		return p.node(kindExtension, module, p.context())
	case p.accept('e'):
		module := p.module()
		signature := p.signature()
		return p.node(kindExtension, module, p.context(), signature)
	case p.accept('S'):
		return p.substitution()
	case p.accept('s'):
		return p.withText(kindModule, swiftModule)
	case p.accept('G'):
		return p.boundGeneric()
	}
	switch p.peek() {
	case 'F', 'I', 'v', 'P', 's', 'Z', 'C', 'V', 'O':
		return p.entity()
	}
	return p.module()
}
