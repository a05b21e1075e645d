package swift

// parser reads the mangling since Swift 4, which is in postfix order: each operator
// takes the nodes that it is about from the stack, and puts there what it makes.
type parser struct {
	cursor
	arena
	stack         []*node
	substitutions []*node
	words         words
	oldLabels     bool // argument labels are in the types, as in Swift 4

	stackSpace [24]*node // the stack and substitutions of most names
	substSpace [24]*node
}

func newParser(name string, prefix int) *parser {
	p := &parser{cursor: cursor{name: name, pos: prefix}}
	p.oldLabels = name[:len(oldPrefix)] == oldPrefix
	p.stack = p.stackSpace[:0]
	p.substitutions = p.substSpace[:0]
	return p
}

// symbol reads the whole name: one entity, what is put before it and was mangled
// after it, and a suffix.
func (p *parser) symbol() *node {
	if !p.operators() {
		return nil
	}
	root := p.leaf(kindGlobal)
	suffix := p.pop(kindSuffix)
	parent := root
	for n := p.popIf(isFunctionAttribute); n != nil; n = p.popIf(isFunctionAttribute) {
		addIf(parent, n)
		if n.kind == kindPartialApply {
			parent = n
		}
	}
	entity := p.popAny()
	if entity.is(kindType) {
		entity = entity.child(0)
	}
	if len(p.stack) > 0 || !stands(entity, root) {
		return nil
	}
	addIf(parent, entity)
	addIf(root, suffix)
	return root
}

// stands reports whether an entity is one, with what is put before it in the root:
// partial apply needs none, and a name alone is one only with something before it.
func stands(entity, root *node) bool {
	switch {
	case entity == nil:
		return root.last().is(kindPartialApply)
	case isDeclName(entity.kind):
		return root.child(0) != nil
	}
	return !isPart(entity.kind)
}

// operators reads all operators and leaves their nodes on the stack.
func (p *parser) operators() bool {
	for p.pos < len(p.name) {
		n := p.operator()
		if n == nil || len(p.stack) >= maxStack {
			return false
		}
		p.push(n)
	}
	return true
}

// operator reads one operator.
func (p *parser) operator() *node {
	c := p.peek()
	if int(c) >= len(operators) {
		return nil
	}
	if isDigit(c) {
		return p.identifier()
	}
	if k := markers[c]; k != kindNone {
		p.pos++
		return p.leaf(k)
	}
	if f := operators[c]; f != nil {
		p.pos++
		return f(p)
	}
	return nil
}

// markers are the operators that take nothing.
var markers = [128]kind{
	'K': kindThrows,
	'd': kindVariadic,
	'y': kindEmptyList,
	'_': kindFirstElement,
}

// operators are the others, by their first byte.
var operators = [128]func(*parser) *node{
	'A': (*parser).multiSubstitution,
	'B': (*parser).builtinType,
	'C': (*parser).class,
	'D': (*parser).typeMangling,
	'E': (*parser).extension,
	'F': (*parser).function,
	'G': (*parser).boundGeneric,
	'H': (*parser).conformance,
	'I': (*parser).implFunctionType,
	'L': (*parser).localName,
	'M': (*parser).metadata,
	'N': (*parser).typeMetadata,
	'O': (*parser).enum,
	'P': (*parser).protocol,
	'Q': (*parser).archetype,
	'R': (*parser).requirement,
	'S': (*parser).standardSubstitution,
	'T': (*parser).thunk,
	'V': (*parser).structure,
	'W': (*parser).witness,
	'X': (*parser).specialType,
	'Y': (*parser).annotation,
	'Z': (*parser).static,
	'a': (*parser).typeAlias,
	'c': (*parser).functionType,
	'f': (*parser).functionEntity,
	'g': (*parser).retroactiveConformance,
	'h': (*parser).shared,
	'i': (*parser).subscript,
	'l': (*parser).signature,
	'm': (*parser).metatype,
	'n': (*parser).owned,
	'o': (*parser).operatorName,
	'p': (*parser).protocolListType,
	'q': (*parser).genericParamType,
	'r': (*parser).signatureWithCounts,
	's': (*parser).swiftModule,
	't': (*parser).tuple,
	'u': (*parser).genericType,
	'v': (*parser).variable,
	'w': (*parser).valueWitness,
	'x': (*parser).firstParamType,
	'z': (*parser).inOut,
	'.': (*parser).suffix,
	'$': (*parser).integer,
}

func (p *parser) push(n *node) { p.stack = append(p.stack, n) }

// popAny takes the node on top of the stack, nil if there is none.
func (p *parser) popAny() *node {
	if len(p.stack) == 0 {
		return nil
	}
	n := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return n
}

// pop takes the node on top of the stack if it is of the kind.
func (p *parser) pop(k kind) *node {
	if len(p.stack) == 0 || p.stack[len(p.stack)-1].kind != k {
		return nil
	}
	return p.popAny()
}

// popIf takes the node on top of the stack if its kind is as wanted.
func (p *parser) popIf(wanted func(kind) bool) *node {
	if len(p.stack) == 0 || !wanted(p.stack[len(p.stack)-1].kind) {
		return nil
	}
	return p.popAny()
}

func (p *parser) popType() *node { return p.pop(kindType) }

// popInner takes a type and returns what it is.
func (p *parser) popInner() *node { return p.popType().child(0) }

// popList adds what pop takes to a list, in the order of the mangling: y is an
// empty list, and a _ follows the first element of another.
func (p *parser) popList(list *node, pop func(*parser) *node) *node {
	if list == nil || p.pop(kindEmptyList) != nil {
		return list
	}
	return p.popElements(list, pop)
}

// popElements is popList for a list that has an element at least.
func (p *parser) popElements(list *node, pop func(*parser) *node) *node {
	first := len(list.children)
	for begun := false; !begun; {
		begun = p.pop(kindFirstElement) != nil
		if add(list, pop(p)) == nil {
			return nil
		}
	}
	list.reverse(first)
	return list
}

// popTypeList takes a list of types.
func (p *parser) popTypeList() *node {
	return p.popList(p.leaf(kindTypeList), (*parser).popType)
}

// suffix is what a compiler pass put behind the name, as .resume.0.
func (p *parser) suffix() *node {
	p.pos--
	return p.withText(kindSuffix, p.rest())
}
