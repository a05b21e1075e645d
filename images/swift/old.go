package swift

// oldParser reads the mangling before Swift 4, which is in prefix order: each
// operator comes before what it is about.
type oldParser struct {
	cursor
	arena
	substitutions []*node
	depth         int
}

// newOldParser takes a name without its _T.
func newOldParser(name string) *oldParser {
	return &oldParser{cursor: cursor{name: name}}
}

// maxOldDepth bounds how deep the parser recurses.
const maxOldDepth = 512

// deeper calls parse unless the recursion is too deep.
func (p *oldParser) deeper(parse func(*oldParser) *node) *node {
	if p.depth >= maxOldDepth || p.pos >= len(p.name) {
		return nil
	}
	p.depth++
	n := parse(p)
	p.depth--
	return n
}

func (p *oldParser) remember(n *node) *node {
	if n != nil {
		p.substitutions = append(p.substitutions, n)
	}
	return n
}

// oldAttributes are put before the entity.
var oldAttributes = [...]struct{ code, text string }{
	{"To", "@objc "}, {"TO", "@nonobjc "}, {"TD", "dynamic "}, {"Td", "super "}, {"TV", "override "},
}

// symbol reads the whole name.
func (p *oldParser) symbol() *node {
	root := p.leaf(kindGlobal)
	if p.acceptString("TS") {
		if !p.specializations(root) {
			return nil
		}
	} else {
		for _, a := range &oldAttributes {
			if p.acceptString(a.code) {
				addIf(root, p.withText(kindAttribute, a.text))
				break
			}
		}
	}
	entity := p.global()
	root = add(root, entity)
	if root == nil || p.pos == len(p.name) {
		return root
	}
	if isNominal(entity.kind) || entity.kind == kindTypeMangling {
		return nil // there is no code of these to be cut in parts: _TSinit is not Swift.Int
	}
	return add(root, p.withText(kindSuffix, p.rest()))
}

// oldMetadata are the operators after M; without one it is the metadata itself.
var oldMetadata = [128]string{
	'P': "generic type metadata pattern for %0", 'a': "type metadata accessor for %0",
	'L': "lazy cache variable for type metadata for %0", 'm': "metaclass for %0",
	'n': "nominal type descriptor for %0", 'f': "full type metadata for %0",
}

// oldWitnesses are the operators after W that are followed by a conformance.
var oldWitnesses = [128]string{
	'P': "protocol witness table for %0", 'G': "generic protocol witness table for %0",
	'I': "instantiation function for generic protocol witness table for %0",
	'a': "protocol witness table accessor for %0",
}

// global reads what a symbol is of.
func (p *oldParser) global() *node {
	switch {
	case p.accept('M'):
		return p.metadata()
	case p.acceptString("PA"):
		return p.partialApply()
	case p.accept('t'):
		return p.node(kindTypeMangling, p.typed())
	case p.accept('w'):
		name := p.valueWitnessName()
		return p.valueWitnessNode(name, p.typed())
	case p.accept('W'):
		return p.witness()
	case p.accept('T'):
		return p.thunk()
	}
	return p.entity()
}

func (p *oldParser) metadata() *node {
	if p.accept('p') {
		return p.phrase("protocol descriptor for %0", p.protocolType())
	}
	text := at(&oldMetadata, p.peek())
	if text == "" {
		return p.phrase("type metadata for %0", p.typed())
	}
	p.pos++
	return p.phrase(text, p.typed())
}

func (p *oldParser) partialApply() *node {
	text := "partial apply forwarder"
	if p.accept('o') {
		text = "partial apply ObjC forwarder"
	}
	n := p.withText(kindPartialApply, text)
	if p.acceptString("__T") {
		return add(n, p.deeper((*oldParser).global))
	}
	return n
}

func (p *oldParser) witness() *node {
	c := p.next()
	if text := at(&oldWitnesses, c); text != "" {
		return p.phrase(text, p.conformance())
	}
	switch c {
	case 'V':
		return p.phrase("value witness table for %0", p.typed())
	case 'v':
		switch p.next() {
		case 'd':
			return p.phrase("direct field offset for %0", p.entity())
		case 'i':
			return p.phrase("indirect field offset for %0", p.entity())
		}
	case 'l':
		t := p.typed()
		return p.phrase("lazy protocol witness table accessor for type %0 and conformance %1", t, p.conformance())
	case 'L':
		t := p.typed()
		return p.phrase("lazy protocol witness table cache variable for type %0 and conformance %1", t, p.conformance())
	case 't':
		conformance := p.conformance()
		return p.phrase("associated type metadata accessor for %1 in %0", conformance, p.declName())
	case 'T':
		conformance := p.conformance()
		name := p.declName()
		return p.phrase("associated type witness table accessor for %1 : %2 in %0", conformance, name, p.protocolType())
	}
	return nil
}

func (p *oldParser) thunk() *node {
	switch p.next() {
	case 'R':
		return p.reabstraction("reabstraction thunk helper ")
	case 'r':
		return p.reabstraction("reabstraction thunk ")
	case 'W':
		conformance := p.conformance()
		return p.phrase("protocol witness for %1 in conformance %0", conformance, p.entity())
	}
	return nil
}

func (p *oldParser) reabstraction(text string) *node {
	n := p.withText(kindReabstractionThunk, text)
	if p.accept('G') {
		if n = add(n, p.signature()); n == nil {
			return nil
		}
	}
	n = add(n, p.typed())
	return add(n, p.typed())
}

// conformance reads a type, a protocol and the module.
func (p *oldParser) conformance() *node {
	t := p.typed()
	protocol := p.protocolType()
	return p.node(kindProtocolConformance, t, protocol, p.context())
}
