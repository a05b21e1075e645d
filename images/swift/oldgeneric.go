package swift

func (p *oldParser) boundGeneric() *node {
	n := p.nominal()
	if n == nil {
		return nil
	}
	return p.bind(n, 0)
}

// bind reads the arguments of what a type is in, then its own.
func (p *oldParser) bind(n *node, depth int) *node {
	context := n.child(0)
	if context == nil || depth > maxOldDepth {
		return nil
	}
	switch context.kind {
	case kindModule, kindFunction, kindExtension:
	default:
		inner := p.bind(context, depth+1)
		if inner == nil {
			return nil
		}
		rest := n.children[1:]
		if n = p.node(n.kind, inner); n == nil {
			return nil
		}
		n.children = append(n.children, rest...)
	}
	arguments := p.types()
	if arguments == nil || len(arguments.children) == 0 {
		if arguments == nil {
			return nil
		}
		return n
	}
	switch n.kind {
	case kindClass, kindStructure, kindEnum:
		return p.node(boundKinds[n.kind], p.arena.typed(n), arguments)
	}
	return nil
}

// genericType reads the types that depend on parameters.
func (p *oldParser) genericType(c byte) *node {
	switch c {
	case 'Q':
		return p.archetypeOrOpaque()
	case 'q':
		return p.dependentType()
	case 'x':
		return p.param(0, 0)
	case 'w':
		return p.member(p.arena.typed(p.paramIndex()))
	case 'W':
		return p.compoundMember()
	case 'u':
		signature := p.signature()
		return p.node(kindDependentGenericType, signature, p.typed())
	}
	return nil
}

func (p *oldParser) archetypeOrOpaque() *node {
	switch {
	case p.accept('u'):
		return p.leaf(kindOpaqueReturnType)
	case p.accept('U'):
		if p.index() < 0 {
			return nil
		}
		return p.leaf(kindOpaqueReturnType)
	}
	return p.archetype()
}

// archetype reads an associated type.
func (p *oldParser) archetype() *node {
	var root *node
	switch {
	case p.accept('Q'):
		root = p.deeper((*oldParser).archetype)
	case p.accept('S'):
		root = p.substitution()
	case p.accept('s'):
		root = p.withText(kindModule, swiftModule)
	}
	if root == nil {
		return nil
	}
	return p.remember(p.node(kindAssociatedTypeRef, root, p.identifier(kindIdentifier)))
}

func (p *oldParser) dependentType() *node {
	if c := p.peek(); c != 'd' && c != '_' && !isDigit(c) {
		return p.member(p.typed())
	}
	return p.paramIndex()
}

func (p *oldParser) param(depth, index int) *node {
	if depth < 0 || index < 0 {
		return nil
	}
	return p.node(kindGenericParam, p.withIndex(kindNumber, depth), p.withIndex(kindNumber, index))
}

// paramIndex reads which parameter is meant.
func (p *oldParser) paramIndex() *node {
	switch {
	case p.accept('d'):
		depth := p.index() + 1
		return p.param(depth, p.index())
	case p.accept('x'):
		return p.param(0, 0)
	}
	return p.param(0, p.index()+1)
}

// member reads the name of an associated type of the base.
func (p *oldParser) member(base *node) *node {
	if base == nil {
		return nil
	}
	if p.accept('S') {
		name := p.substitution()
		if !name.is(kindAssociatedTypeName) {
			return nil
		}
		return p.node(kindDependentMemberType, base, name)
	}
	var protocol *node
	if p.accept('P') {
		if protocol = p.protocolType(); protocol == nil {
			return nil
		}
	}
	name := p.node(kindAssociatedTypeName, p.identifier(kindIdentifier))
	addIf(name, protocol)
	return p.node(kindDependentMemberType, base, p.remember(name))
}

// compoundMember reads names of associated types, each of the one before.
func (p *oldParser) compoundMember() *node {
	base := p.paramIndex()
	for base != nil && !p.accept('_') {
		base = p.member(p.arena.typed(base))
	}
	return base
}

// signature reads how many parameters there are at each depth, and requirements.
func (p *oldParser) signature() *node {
	s := p.leaf(kindGenericSignature)
	for s != nil && p.peek() != 'R' && p.peek() != 'r' {
		count := 0
		if !p.accept('z') {
			if count = p.index() + 1; count < 0 {
				return nil
			}
		}
		s = add(s, p.withIndex(kindGenericParamCount, count))
	}
	if s == nil {
		return nil
	}
	if len(s.children) == 0 {
		s = add(s, p.withIndex(kindGenericParamCount, 1))
	}
	if p.accept('r') {
		return s
	}
	p.pos++ // the R
	for s != nil && !p.accept('r') {
		s = add(s, p.requirement())
	}
	return s
}

// requirement reads what is demanded of a parameter or associated type.
func (p *oldParser) requirement() *node {
	t := p.arena.typed(p.constrained())
	if t == nil {
		return nil
	}
	switch {
	case p.accept('z'):
		return p.binary("%0 == %1", t, p.typed())
	case p.accept('l'):
		return p.layoutRequirement(t)
	case p.peek() == 'C':
		return p.binary("%0: %1", t, p.typed())
	case p.accept('S'):
		return p.binary("%0: %1", t, p.arena.typed(p.protocolOrClass()))
	}
	return p.binary("%0: %1", t, p.protocolType())
}

func (p *oldParser) protocolOrClass() *node {
	n := p.substitution()
	if n.is(kindProtocol) || n.is(kindClass) {
		return n
	}
	return p.protocolIn(n)
}

func (p *oldParser) binary(template string, left, right *node) *node {
	n := p.node(kindRequirement, left, right)
	if n != nil {
		n.text = template
	}
	return n
}

func (p *oldParser) constrained() *node {
	switch {
	case p.accept('w'):
		return p.member(p.arena.typed(p.paramIndex()))
	case p.accept('W'):
		return p.compoundMember()
	}
	return p.paramIndex()
}

// layoutRequirement reads a layout, and its size and alignment without the _ that
// indices end with, but for the one between them.
func (p *oldParser) layoutRequirement(t *node) *node {
	c := p.next()
	if c == 'C' || c == 'D' {
		return nil
	}
	name := at(&layouts, c)
	if name == "" {
		return nil
	}
	n := p.node(kindLayoutRequirement, t, p.withText(kindText, name))
	for i := range sizedLayouts[c] {
		if i > 0 && !p.accept('_') {
			return nil
		}
		size := p.natural()
		if size < 0 {
			return nil
		}
		n = add(n, p.withIndex(kindNumber, size))
	}
	return n
}
