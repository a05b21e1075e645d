package swift

func (p *parser) signature() *node {
	s := p.node(kindGenericSignature, p.withIndex(kindGenericParamCount, 1))
	return p.withRequirements(s)
}

// signatureWithCounts reads how many parameters there are at each depth.
func (p *parser) signatureWithCounts() *node {
	s := p.leaf(kindGenericSignature)
	for !p.accept('l') {
		count := 0
		if !p.accept('z') {
			count = p.index() + 1
		}
		if count < 0 || add(s, p.withIndex(kindGenericParamCount, count)) == nil {
			return nil
		}
	}
	return p.withRequirements(s)
}

// withRequirements takes the requirements of a signature.
func (p *parser) withRequirements(s *node) *node {
	if s == nil {
		return nil
	}
	first := len(s.children)
	for r := p.popIf(isRequirement); r != nil; r = p.popIf(isRequirement) {
		addIf(s, r)
	}
	s.reverse(first)
	return s
}

// genericType puts a signature to a type.
func (p *parser) genericType() *node {
	s := p.pop(kindGenericSignature)
	return p.typed(p.node(kindDependentGenericType, s, p.popType()))
}

// genericParam makes the parameter at a depth.
func (p *parser) genericParam(depth, index int) *node {
	if depth < 0 || index < 0 {
		return nil
	}
	return p.node(kindGenericParam, p.withIndex(kindNumber, depth), p.withIndex(kindNumber, index))
}

func (p *parser) firstParamType() *node   { return p.typed(p.genericParam(0, 0)) }
func (p *parser) genericParamType() *node { return p.typed(p.genericParamIndex()) }

// genericParamIndex reads which parameter is meant.
func (p *parser) genericParamIndex() *node {
	switch {
	case p.accept('d'):
		depth := p.index() + 1
		return p.genericParam(depth, p.index())
	case p.accept('z'):
		return p.genericParam(0, 0)
	case p.accept('s'):
		return p.simplePhrase("Self")
	}
	return p.genericParam(0, p.index()+1)
}

// Of a requirement: what it demands, and what of.
type (
	demand  uint8
	subject uint8
)

const (
	demandConformance demand = iota
	demandBaseClass
	demandSameType
	demandSameShape
	demandLayout
	demandPack
	demandValue
	demandInverse

	subjectParam    subject = iota // a generic parameter
	subjectMember                  // an associated type of one
	subjectCompound                // an associated type of an associated type
	subjectStack                   // a type that came before
)

// requirements are the operators after R. Without one, a parameter is to conform to
// a protocol.
var requirements = [128]struct {
	known   bool
	demand  demand
	subject subject
}{
	'V': {true, demandValue, subjectParam}, 'v': {true, demandPack, subjectParam},
	'c': {true, demandBaseClass, subjectMember}, 'C': {true, demandBaseClass, subjectCompound},
	'b': {true, demandBaseClass, subjectParam}, 'B': {true, demandBaseClass, subjectStack},
	't': {true, demandSameType, subjectMember}, 'T': {true, demandSameType, subjectCompound},
	's': {true, demandSameType, subjectParam}, 'S': {true, demandSameType, subjectStack},
	'm': {true, demandLayout, subjectMember}, 'M': {true, demandLayout, subjectCompound},
	'l': {true, demandLayout, subjectParam}, 'L': {true, demandLayout, subjectStack},
	'p': {true, demandConformance, subjectMember}, 'P': {true, demandConformance, subjectCompound},
	'Q': {true, demandConformance, subjectStack}, 'h': {true, demandSameShape, subjectParam},
	'i': {true, demandInverse, subjectParam}, 'I': {true, demandInverse, subjectStack},
}

// requirement reads one requirement of a signature.
func (p *parser) requirement() *node {
	r := at(&requirements, p.peek())
	if r.known {
		p.pos++
	} else {
		r.subject = subjectParam
	}
	var inverse *node
	if r.demand == demandInverse {
		if inverse = p.numberNode(); inverse == nil {
			return nil
		}
	}
	t := p.subject(r.subject)
	switch r.demand {
	case demandValue:
		return p.node(kindValueMarker, t, p.popType())
	case demandPack:
		return p.node(kindPackMarker, t)
	case demandInverse:
		return p.node(kindInverseRequirement, t, inverse)
	case demandConformance:
		return p.binary("%0: %1", t, p.popProtocol())
	case demandBaseClass:
		return p.binary("%0: %1", t, p.popType())
	case demandSameType:
		return p.binary("%0 == %1", t, p.popType())
	case demandSameShape:
		return p.binary("%0.shape == %1.shape", t, p.popType())
	}
	return p.layoutRequirement(t)
}

func (p *parser) binary(template string, left, right *node) *node {
	n := p.node(kindRequirement, left, right)
	if n != nil {
		n.text = template
	}
	return n
}

// subject reads what a requirement is about.
func (p *parser) subject(s subject) *node {
	switch s {
	case subjectMember:
		return p.remembered(p.member(p.genericParamIndex()))
	case subjectCompound:
		return p.remembered(p.compoundMember(p.genericParamIndex()))
	case subjectStack:
		return p.popType()
	}
	return p.typed(p.genericParamIndex())
}

// layouts are the names of layouts, and sizedLayouts whether one has a size, and an
// alignment.
var (
	layouts = [128]string{
		'U': "_UnknownLayout", 'R': "_RefCountedObject", 'N': "_NativeRefCountedObject", 'C': "AnyObject",
		'D': "_NativeClass", 'T': "_Trivial", 'B': "_BridgeObject", 'E': "_Trivial", 'e': "_Trivial",
		'M': "_TrivialAtMost", 'm': "_TrivialAtMost", 'S': "_TrivialStride",
	}
	sizedLayouts = [128]int{'E': 2, 'e': 1, 'M': 2, 'm': 1, 'S': 1}
)

func (p *parser) layoutRequirement(t *node) *node {
	c := p.next()
	name := at(&layouts, c)
	if name == "" {
		return nil
	}
	n := p.node(kindLayoutRequirement, t, p.withText(kindText, name))
	for range at(&sizedLayouts, c) {
		if n = add(n, p.numberNode()); n == nil {
			return nil
		}
	}
	return n
}

// member takes the name of an associated type; its base is on the stack if it is
// not given.
func (p *parser) member(base *node) *node {
	name := p.popAssociatedTypeName()
	return p.typed(p.node(kindDependentMemberType, p.typed(base), name))
}

// memberOfStack is member for a base on the stack.
func (p *parser) memberOfStack() *node {
	name := p.popAssociatedTypeName()
	return p.typed(p.node(kindDependentMemberType, p.popType(), name))
}

// compoundMember takes the names of associated types, each of the one before.
func (p *parser) compoundMember(base *node) *node {
	path := p.popAssociatedTypePath()
	return p.memberPath(p.typed(base), path)
}

func (p *parser) compoundMemberOfStack() *node {
	path := p.popAssociatedTypePath()
	return p.memberPath(p.popType(), path)
}

func (p *parser) memberPath(base, path *node) *node {
	if path == nil {
		return nil
	}
	for _, name := range path.children {
		base = p.typed(p.node(kindDependentMemberType, base, name))
	}
	return base
}

// popAssociatedTypeName takes the name of an associated type and, if it is told, the
// protocol that has it.
func (p *parser) popAssociatedTypeName() *node {
	protocol := p.popType()
	if protocol != nil && !protocol.child(0).is(kindProtocol) {
		return nil
	}
	n := p.node(kindAssociatedTypeName, p.pop(kindIdentifier))
	addIf(n, protocol)
	return n
}

func (p *parser) popAssociatedTypePath() *node {
	return p.popElements(p.leaf(kindAssociatedTypePath), (*parser).popAssociatedTypeName)
}

// archetype reads the types that stand for others.
func (p *parser) archetype() *node {
	switch c := p.next(); c {
	case 'a':
		name := p.pop(kindIdentifier)
		return p.remembered(p.typed(p.node(kindAssociatedTypeRef, p.popInner(), name)))
	case 'x':
		return p.remembered(p.memberOfStack())
	case 'X':
		return p.remembered(p.compoundMemberOfStack())
	case 'y':
		return p.remembered(p.member(p.genericParamIndex()))
	case 'Y':
		return p.remembered(p.compoundMember(p.genericParamIndex()))
	case 'z':
		return p.remembered(p.member(p.genericParam(0, 0)))
	case 'Z':
		return p.remembered(p.compoundMember(p.genericParam(0, 0)))
	case 'p', 'e', 'P', 'S':
		return p.packType(c)
	}
	p.pos--
	return p.opaqueType()
}

// packType reads the types of packs, by the byte after Q.
func (p *parser) packType(c byte) *node {
	switch c {
	case 'p':
		count := p.popInner()
		return p.typed(p.phrase("repeat %0", p.popInner(), count))
	case 'e':
		element := p.node(kindPackElement, p.popInner())
		level := p.index()
		if element == nil || level < 0 {
			return nil
		}
		element.index = level
		return p.typed(element)
	case 'P':
		return p.pack("Pack{%,}")
	}
	switch p.next() {
	case 'd':
		return p.pack("@direct Pack{%,}")
	case 'i':
		return p.pack("@indirect Pack{%,}")
	}
	return nil
}

// opaqueType reads the types that a function returns and does not name.
func (p *parser) opaqueType() *node {
	switch p.next() {
	case 'O':
		return p.node(kindOpaqueReturnTypeOf, p.popContext())
	case 'o':
		return p.opaqueTypeOf()
	case 'r':
		return p.typed(p.leaf(kindOpaqueReturnType))
	case 'R':
		if p.index() < 0 {
			return nil
		}
		return p.typed(p.leaf(kindOpaqueReturnType))
	}
	return nil
}

// opaqueTypeOf takes the function and its generic arguments, which are not printed.
func (p *parser) opaqueTypeOf() *node {
	i := p.index()
	if _, _, ok := p.popArguments(); !ok || i < 0 {
		return nil
	}
	return p.remembered(p.typed(p.node(kindOpaqueType, p.popAny(), p.withIndex(kindNumber, i))))
}
