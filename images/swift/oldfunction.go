package swift

// How the functions of the intermediate language are called, and take parameters
// and return results, in the mangling before Swift 4.
var (
	oldCalleeConventions = [128]string{
		'd': "@callee_unowned", 'g': "@callee_guaranteed", 'o': "@callee_owned", 't': "@convention(thin)",
	}
	oldParameterConventions = [128]string{
		'd': "@unowned", 'g': "@guaranteed", 'e': "@deallocating", 'i': "@in", 'l': "@inout", 'o': "@owned",
	}
	oldResultConventions = [128]string{
		'a': "@autoreleased", 'd': "@unowned", 'D': "@unowned_inner_pointer", 'i': "@out", 'o': "@owned",
	}
	oldFunctionConventions = [128]string{
		'b': "block", 'c': "c", 'm': "method", 'O': "objc_method", 'w': "witness_method",
	}
)

// implFunction reads the type of a function of the intermediate language.
func (p *oldParser) implFunction() *node {
	f := p.leaf(kindImplFunctionType)
	convention := at(&oldCalleeConventions, p.next())
	if convention == "" {
		return nil
	}
	p.attribute(f, convention)
	if p.accept('C') {
		name := at(&oldFunctionConventions, p.next())
		if name == "" {
			return nil
		}
		p.attribute(f, "@convention("+name+")")
	}
	if p.accept('h') {
		p.attribute(f, "@Sendable")
	}
	if p.accept('H') {
		p.attribute(f, "@async")
	}
	if p.accept('G') || p.accept('g') {
		if f = add(f, p.signature()); f == nil {
			return nil
		}
	}
	if !p.accept('_') || !p.values(f, kindImplParameter, &oldParameterConventions) || !p.values(f, kindImplResult, &oldResultConventions) {
		return nil
	}
	return f
}

func (p *oldParser) attribute(f *node, text string) {
	addIf(f, p.withText(kindImplAttribute, text))
}

// values reads parameters or results, with their types.
func (p *oldParser) values(f *node, k kind, conventions *[128]string) bool {
	for !p.accept('_') {
		text := ""
		if k == kindImplResult && p.accept('z') {
			text = "@error "
		}
		convention := at(conventions, p.next())
		if convention == "" {
			return false
		}
		n := p.node(k, p.withText(kindText, convention), p.typed())
		if add(f, n) == nil {
			return false
		}
		n.text = text
	}
	return true
}

// specializations reads the specializations of what follows them.
func (p *oldParser) specializations(root *node) bool {
	for {
		if add(root, p.specialization()) == nil {
			return false
		}
		p.substitutions = p.substitutions[:0]
		if !p.acceptString("_TTS") {
			return p.acceptString(oldPrefix)
		}
	}
}

func (p *oldParser) specialization() *node {
	switch {
	case p.accept('g'):
		return p.genericParams(p.pass("generic specialization"))
	case p.accept('r'):
		return p.genericParams(p.pass("generic not re-abstracted specialization"))
	case p.accept('f'):
		return p.functionParams(p.pass("function signature specialization"))
	}
	return nil
}

func (p *oldParser) pass(text string) *node {
	n := p.withText(kindSpecialization, text)
	if p.accept('q') {
		addIf(n, p.leaf(kindSerialized))
	}
	return add(n, p.withIndex(kindSpecializationPass, int(p.next())-'0'))
}

// genericParams reads types, each with the conformances that it needs.
func (p *oldParser) genericParams(n *node) *node {
	for n != nil && !p.accept('_') {
		param := p.node(kindSpecializationParam, p.typed())
		for param != nil && !p.accept('_') {
			param = add(param, p.conformance())
		}
		n = add(n, param)
	}
	return n
}

// functionParams reads what became of each parameter.
func (p *oldParser) functionParams(n *node) *node {
	for n != nil && !p.accept('_') {
		n = add(n, p.functionParam())
	}
	return n
}

func (p *oldParser) functionParam() *node {
	param := p.leaf(kindFunctionParam)
	switch {
	case p.acceptString("n_"):
		return param
	case p.acceptString("cp"):
		return p.constant(param)
	case p.acceptString("cl"):
		return p.closure(param)
	case p.acceptString("i_"):
		return p.change(param, paramBoxToValue)
	case p.acceptString("k_"):
		return p.change(param, paramBoxToStack)
	case p.acceptString("r_"):
		return p.change(param, paramInOutToOut)
	}
	what := 0
	for _, f := range [...]struct {
		letter byte
		flag   int
	}{{'d', paramDead}, {'g', paramOwnedToGuaranteed}, {'o', paramGuaranteedToOwned}, {'s', paramExploded}} {
		if p.accept(f.letter) {
			what |= f.flag
		}
	}
	if what == 0 || !p.accept('_') {
		return nil
	}
	return p.change(param, what)
}

func (p *oldParser) change(param *node, what int) *node {
	return add(param, p.withIndex(kindFunctionParamKind, what))
}

// payload adds a text that tells more of a change, nil if there is none.
func (p *oldParser) payload(param *node, text string) *node {
	if text == "" {
		return nil
	}
	return add(param, p.withText(kindFunctionParamPayload, text))
}

// constantName adds the name that a parameter was replaced by.
func (p *oldParser) constantName(param *node) *node {
	param = add(param, p.identifier(kindIdentifier))
	if !p.accept('_') {
		return nil
	}
	return param
}

// constant reads the constant that was put for a parameter.
func (p *oldParser) constant(param *node) *node {
	switch {
	case p.acceptString("fr"):
		return p.constantName(p.change(param, paramFunction))
	case p.accept('g'):
		return p.constantName(p.change(param, paramGlobal))
	case p.accept('i'):
		return p.payload(p.change(param, paramInteger), p.until('_'))
	case p.acceptString("fl"):
		return p.payload(p.change(param, paramFloat), p.until('_'))
	case p.acceptString("se0v"):
		return p.constantName(p.payload(p.change(param, paramString), "u8"))
	case p.acceptString("se1v"):
		return p.constantName(p.payload(p.change(param, paramString), "u16"))
	}
	return nil
}

// until reads up to a byte and that, "" if it does not come.
func (p *oldParser) until(b byte) string {
	for i := p.pos; i < len(p.name); i++ {
		if p.name[i] == b {
			text := p.name[p.pos:i]
			p.pos = i + 1
			return text
		}
	}
	return ""
}

// closure reads a closure that was put for a parameter, with the types of what it
// captured.
func (p *oldParser) closure(param *node) *node {
	name := p.identifier(kindIdentifier)
	if name == nil {
		return nil
	}
	param = p.payload(p.change(param, paramClosure), name.text)
	for param != nil && !p.accept('_') {
		param = add(param, p.typed())
	}
	return param
}
