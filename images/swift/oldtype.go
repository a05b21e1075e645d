package swift

import "strconv"

// typed reads a type.
func (p *oldParser) typed() *node { return p.arena.typed(p.deeper((*oldParser).typeInner)) }

// oldFunctionTypes are the operators of functions.
var oldFunctionTypes = [128]kind{
	'b': kindObjCBlock, 'c': kindCFunctionPointer, 'F': kindFunctionType, 'f': kindUncurriedFunctionType, 'K': kindAutoClosureType,
}

func (p *oldParser) typeInner() *node {
	c := p.next()
	if k := at(&oldFunctionTypes, c); k != kindNone {
		return p.function(k)
	}
	if k := at(&oldNominals, c); k != kindNone && c != 'P' {
		return p.declaration(k)
	}
	switch c {
	case 'B':
		return p.builtin()
	case 'a':
		return p.declaration(kindTypeAlias)
	case 'D':
		return p.simple("Self", p.typed())
	case 'E':
		if !p.acceptString("RR") {
			return nil
		}
		return p.simple("<ERROR TYPE>")
	case 'G':
		return p.boundGeneric()
	case 'M':
		return p.node(kindMetatype, p.typed())
	case 'P':
		return p.protocolListOrMetatype()
	case 'R':
		return p.node(kindInOut, p.deeper((*oldParser).typeInner))
	case 'k':
		return p.phrase("@noDerivative %0", p.deeper((*oldParser).typeInner))
	case 'S':
		return p.substitution()
	case 'T':
		return p.tuple(false)
	case 't':
		return p.tuple(true)
	case 'X':
		return p.extendedType()
	}
	return p.genericType(c)
}

func (p *oldParser) simple(template string, children ...*node) *node {
	n := p.node(kindSimpleType, children...)
	if n != nil {
		n.text = template
	}
	return n
}

// extendedType reads the types after X.
func (p *oldParser) extendedType() *node {
	switch c := p.next(); c {
	case 'b':
		return p.simple("@box %0", p.typed())
	case 'B':
		return p.box()
	case 'M':
		return p.representedMetatype(kindMetatype)
	case 'P':
		if p.accept('M') {
			return p.representedMetatype(kindExistentialMetatype)
		}
		return p.protocolList()
	case 'f':
		return p.function(kindThinFunctionType)
	case 'o', 'u', 'w':
		return p.phrase(typePhrases[c], p.typed())
	case 'F':
		return p.implFunction()
	}
	return nil
}

func (p *oldParser) representedMetatype(k kind) *node {
	text := at(&metatypeRepresentations, p.next())
	if text == "" {
		return nil
	}
	return p.node(k, p.withText(kindText, text), p.typed())
}

func (p *oldParser) protocolListOrMetatype() *node {
	if p.accept('M') {
		return p.node(kindExistentialMetatype, p.typed())
	}
	return p.protocolList()
}

func (p *oldParser) protocolList() *node {
	list := p.leaf(kindTypeList)
	for !p.accept('_') {
		if list = add(list, p.protocolType()); list == nil {
			return nil
		}
	}
	return p.node(kindProtocolList, list)
}

func (p *oldParser) builtin() *node {
	c := p.next()
	switch c {
	case 'f':
		return p.builtinNamed(p.sized("FPIEEE"))
	case 'i':
		return p.builtinNamed(p.sized("Int"))
	case 'v':
		return p.builtinVector()
	case 'b', 'B', 'O', 'o', 'p', 't', 'w':
		return p.builtinNamed(builtinNames[c])
	}
	return nil
}

// builtinNamed makes a type of the compiler's own, nil without a name.
func (p *oldParser) builtinNamed(name string) *node {
	if name == "" {
		return nil
	}
	return p.withText(kindBuiltinTypeName, builtinPrefix+name)
}

// sized reads a size and puts it after the name.
func (p *oldParser) sized(name string) string {
	if n := p.natural(); n >= 0 && p.accept('_') {
		return name + strconv.Itoa(n)
	}
	return ""
}

func (p *oldParser) builtinVector() *node {
	n := p.natural()
	if n < 0 || !p.accept('B') {
		return nil
	}
	element := ""
	switch p.next() {
	case 'i':
		element = p.sized("Int")
	case 'f':
		element = p.sized("FPIEEE")
	case 'p':
		element = "RawPointer"
	}
	if element == "" {
		return nil
	}
	return p.builtinNamed("Vec" + strconv.Itoa(n) + "x" + element)
}

// function reads attributes, parameters and results.
func (p *oldParser) function(k kind) *node {
	f := p.leaf(k)
	if p.accept('z') {
		addIf(f, p.leaf(kindThrows))
	}
	if p.accept('y') {
		addIf(f, p.leaf(kindSendable))
	}
	if p.accept('Z') {
		addIf(f, p.leaf(kindAsync))
	}
	if p.accept('D') {
		text := at(&differentiableAttributes, p.next())
		if text == "" {
			return nil
		}
		addIf(f, p.withText(kindDifferentiable, text))
	}
	if p.accept('Y') {
		if f = add(f, p.node(kindGlobalActor, p.typed())); f == nil {
			return nil
		}
	}
	f = add(f, p.node(kindArgumentTuple, p.typed()))
	if f == nil {
		return nil
	}
	return add(f, p.node(kindReturnType, p.typed()))
}

// tuple reads elements; the last of a variadic one may be any number.
func (p *oldParser) tuple(variadic bool) *node {
	tuple := p.leaf(kindTuple)
	for !p.accept('_') {
		element := p.leaf(kindTupleElement)
		if c := p.peek(); isDigit(c) || c == 'o' {
			if element = add(element, p.identifier(kindTupleElementName)); element == nil {
				return nil
			}
		}
		if tuple = add(tuple, add(element, p.typed())); tuple == nil {
			return nil
		}
	}
	if variadic {
		addIf(tuple.last(), p.leaf(kindVariadic))
	}
	return tuple
}

// box reads a box of the intermediate language: m is a mutable field and i another.
func (p *oldParser) box() *node {
	var signature, arguments *node
	if p.accept('G') {
		if signature = p.signature(); signature == nil {
			return nil
		}
	}
	layout := p.leaf(kindSILBoxLayout)
	for !p.accept('_') {
		keyword := "let %0"
		if p.accept('m') {
			keyword = "var %0"
		} else if !p.accept('i') {
			return nil
		}
		if layout = add(layout, p.phrase(keyword, p.typed())); layout == nil {
			return nil
		}
	}
	if signature != nil {
		if arguments = p.types(); arguments == nil {
			return nil
		}
	}
	n := p.node(kindSILBoxTypeWithLayout, layout)
	addIf(n, signature)
	addIf(n, arguments)
	return n
}

// types reads a list of types.
func (p *oldParser) types() *node {
	list := p.leaf(kindTypeList)
	for !p.accept('_') {
		if list = add(list, p.typed()); list == nil {
			return nil
		}
	}
	return list
}
