package swift

// differentiabilityKinds are how a function can be differentiated.
var differentiabilityKinds = [128]string{
	'f': "forward-mode", 'r': "reverse-mode", 'd': "normal", 'l': "linear",
}

// differentiableAttributes are the same as attributes of a type.
var differentiableAttributes = [128]string{
	'f': "@differentiable(_forward) ", 'r': "@differentiable(reverse) ", 'd': "@differentiable ", 'l': "@differentiable(_linear) ",
}

// differentiability reads how the function of a type can be differentiated.
func (p *parser) differentiability(k kind) *node {
	text := at(&differentiableAttributes, p.next())
	if text == "" {
		return nil
	}
	return p.withText(k, text)
}

// autoDiffKinds are what differentiation makes of a function.
var autoDiffKinds = [128]string{
	'f': "forward-mode derivative", 'r': "reverse-mode derivative", 'd': "differential", 'p': "pullback",
}

func (p *parser) autoDiffKind() *node {
	text := at(&autoDiffKinds, p.next())
	if text == "" {
		return nil
	}
	return p.withText(kindAutoDiffKind, text)
}

// autoDiffThunk reads what differentiation made, by the byte after TJ.
func (p *parser) autoDiffThunk() *node {
	switch {
	case p.accept('S'):
		return p.subsetThunk()
	case p.accept('O'):
		return p.reorderingThunk()
	case p.accept('V'):
		return p.autoDiffFunction(kindAutoDiffThunk)
	}
	return p.autoDiffFunction(kindAutoDiffFunction)
}

// popAll takes all that is on the stack; what is differentiated is all that came
// before.
func (p *parser) popAll(n *node) *node {
	for _, c := range p.stack {
		addIf(n, c)
	}
	p.stack = p.stack[:0]
	return n
}

func (p *parser) autoDiffFunction(k kind) *node {
	n := add(p.popAll(p.leaf(k)), p.autoDiffKind())
	return p.withSubsets(n, "pr")
}

func (p *parser) subsetThunk() *node {
	n := add(p.popAll(p.leaf(kindAutoDiffSubsetThunk)), p.autoDiffKind())
	return p.withSubsets(n, "prP")
}

// withSubsets reads which parameters and results are meant, each followed by one of
// the letters.
func (p *parser) withSubsets(n *node, letters string) *node {
	for i := range len(letters) {
		if n = add(n, p.indexSubset()); n == nil || !p.accept(letters[i]) {
			return nil
		}
	}
	return n
}

// indexSubset reads an S for each index in the set and a U for each other.
func (p *parser) indexSubset() *node {
	start := p.pos
	for p.peek() == 'S' || p.peek() == 'U' {
		p.pos++
	}
	if p.pos == start {
		return nil
	}
	return p.withText(kindIndexSubset, p.name[start:p.pos])
}

func (p *parser) reorderingThunk() *node {
	signature := p.pop(kindGenericSignature)
	to := p.popType()
	n := p.node(kindAutoDiffReorderingThunk, p.popType(), to)
	addIf(n, signature)
	return add(n, p.autoDiffKind())
}

func (p *parser) differentiabilityWitness() *node {
	signature := p.pop(kindGenericSignature)
	n := p.popAll(p.leaf(kindDifferentiabilityWitness))
	text := at(&differentiabilityKinds, p.next())
	if n == nil || text == "" {
		return nil
	}
	n.text = text
	n = p.withSubsets(n, "pr")
	addIf(n, signature)
	return n
}
