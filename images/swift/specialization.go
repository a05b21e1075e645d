package swift

import (
	"strconv"
	"strings"
)

// specializations are the operators after T for functions that were made for certain
// generic arguments.
var specializations = [128]string{
	'g': "generic specialization", 'G': "generic not re-abstracted specialization", 'B': "generic specialization",
	's': "generic pre-specialization", 'i': "inlined generic function",
}

// partialSpecializations are those for some of the arguments.
var partialSpecializations = [128]string{
	'p': "generic partial specialization", 'P': "generic not-reabstracted partial specialization",
}

// maxPass is one more than the highest number of a compiler pass that specializes.
const maxPass = 10

// specialization reads one, by the byte after T; ok is whether that is one of them.
func (p *parser) specialization(c byte) (n *node, ok bool) {
	if text := at(&specializations, c); text != "" {
		return p.genericSpecialization(text, nil), true
	}
	if text := at(&partialSpecializations, c); text != "" {
		n := p.pass(kindPartialSpecialization, text)
		return add(n, p.node(kindSpecializationParam, p.popType())), true
	}
	switch c {
	case 't':
		return p.specializationWithoutArguments(), true
	case 'f':
		return p.functionSpecialization(), true
	}
	return nil, false
}

// pass reads what all specializations begin with. Compilers before Swift 6.3 also
// wrote an m.
func (p *parser) pass(k kind, text string) *node {
	n := p.withText(k, text)
	p.accept('m')
	if p.accept('q') {
		addIf(n, p.leaf(kindSerialized))
	}
	if p.accept('a') {
		addIf(n, p.withText(kindAsyncRemoved, "async demotion of "))
	}
	if p.accept('r') {
		addIf(n, p.withText(kindRepresentationChanged, "representation changed of "))
	}
	pass := int(p.next()) - '0'
	if pass < 0 || pass >= maxPass {
		return nil
	}
	return add(n, p.withIndex(kindSpecializationPass, pass))
}

func (p *parser) genericSpecialization(text string, dropped []*node) *node {
	n := p.pass(kindSpecialization, text)
	types := p.popTypeList()
	if n == nil || types == nil {
		return nil
	}
	n.children = append(n.children, dropped...)
	for _, t := range types.children {
		if add(n, p.node(kindSpecializationParam, t)) == nil {
			return nil
		}
	}
	return n
}

// specializationWithoutArguments reads one that also lost arguments.
func (p *parser) specializationWithoutArguments() *node {
	p.pos--
	var dropped []*node
	for p.accept('t') {
		n := p.leaf(kindDroppedArgument)
		if n == nil {
			return nil
		}
		p.natural() // which one; it is not printed
		dropped = append(dropped, n)
	}
	switch c := p.next(); c {
	case 'g', 'G', 'B':
		return p.genericSpecialization(specializations[c], dropped)
	}
	return nil
}

// What became of a parameter; the flags may be combined.
const (
	paramFunction = iota
	paramGlobal
	paramInteger
	paramFloat
	paramString
	paramClosure
	paramBoxToValue
	paramBoxToStack
	paramInOutToOut
	paramKeyPath
	paramStruct
	paramSameClosure

	paramDead                 = 1 << 6
	paramOwnedToGuaranteed    = 1 << 7
	paramExploded             = 1 << 8
	paramGuaranteedToOwned    = 1 << 9
	paramExistentialToGeneric = 1 << 10
)

// functionSpecialization reads one for certain arguments: what became of each
// parameter and of the result. Identifiers and types that these need were mangled
// before, those of the first parameter first.
func (p *parser) functionSpecialization() *node {
	n := p.pass(kindSpecialization, "function signature specialization")
	if n == nil || n.children[0].kind == kindRepresentationChanged {
		return n
	}
	for !p.accept('_') {
		if n = add(n, p.functionParam(kindFunctionParam)); n == nil {
			return nil
		}
	}
	if !p.accept('n') {
		if n = add(n, p.functionParam(kindFunctionResult)); n == nil {
			return nil
		}
	}
	for i := len(n.children) - 1; i >= 0; i-- {
		if param := n.children[i]; param.kind == kindFunctionParam && !p.popPayloads(param) {
			return nil
		}
	}
	return n
}

// popPayloads takes what a parameter needs from the stack.
func (p *parser) popPayloads(param *node) bool {
	fixed := len(param.children)
	for i := fixed - 1; i >= 0; i-- {
		if c := param.children[i]; c.kind == kindFunctionParamKind && !p.popPayload(param, c.index) {
			return false
		}
	}
	param.reverse(fixed)
	return true
}

func (p *parser) popPayload(param *node, what int) bool {
	switch what {
	case paramClosure:
		for t := p.popType(); t != nil; t = p.popType() {
			addIf(param, t)
		}
	case paramKeyPath:
		for range 2 {
			if add(param, p.popType()) == nil {
				return false
			}
		}
	case paramStruct:
		return add(param, p.popType()) != nil
	case paramFunction, paramGlobal, paramString:
	default:
		return true
	}
	return add(param, p.pop(kindIdentifier)) != nil
}

// paramChanges are the letters of what became of a parameter, and paramFlags those
// that may follow.
var (
	paramChanges = [128]struct {
		known bool
		what  int
	}{
		'c': {true, paramClosure}, 'e': {true, paramExistentialToGeneric}, 'd': {true, paramDead},
		'g': {true, paramOwnedToGuaranteed}, 'o': {true, paramGuaranteedToOwned}, 'x': {true, paramExploded},
		'i': {true, paramBoxToValue}, 's': {true, paramBoxToStack}, 'r': {true, paramInOutToOut},
	}
	paramFlags = [...]struct {
		letter byte
		flag   int
		after  string // letters that it may follow
	}{
		{'D', paramDead, "e"}, {'G', paramOwnedToGuaranteed, "ed"}, {'O', paramGuaranteedToOwned, "ed"}, {'X', paramExploded, "edgo"},
	}
)

// functionParam reads what became of a parameter or of the result.
func (p *parser) functionParam(k kind) *node {
	param := p.leaf(k)
	c := p.next()
	switch c {
	case 'n':
		return param
	case 'C':
		i := p.natural()
		if i < 0 {
			return nil
		}
		addIf(param, p.withIndex(kindFunctionParamKind, paramSameClosure))
		return add(param, p.withText(kindFunctionParamPayload, strconv.Itoa(i)))
	case 'p':
		return p.constants(param)
	}
	change := at(&paramChanges, c)
	if !change.known {
		return nil
	}
	for _, f := range paramFlags {
		if strings.IndexByte(f.after, c) >= 0 && p.accept(f.letter) {
			change.what |= f.flag
		}
	}
	return add(param, p.withIndex(kindFunctionParamKind, change.what))
}

// stringEncodings are how a constant string is encoded.
var stringEncodings = [128]string{'b': "u8", 'w': "u16", 'c': "objc"}

// constants reads the constants that were put for a parameter.
func (p *parser) constants(param *node) *node {
	for {
		what, payload := 0, ""
		c := p.peek()
		switch c {
		case 'S':
			what = paramStruct
		case 'f':
			what = paramFunction
		case 'g':
			what = paramGlobal
		case 'k':
			what = paramKeyPath
		case 'i':
			what = paramInteger
		case 'd':
			what = paramFloat
		case 's':
			what = paramString
		default:
			return param
		}
		p.pos++
		addIf(param, p.withIndex(kindFunctionParamKind, what))
		switch c {
		case 'i', 'd':
			payload = p.digits()
		case 's':
			payload = at(&stringEncodings, p.next())
		default:
			continue
		}
		if payload == "" || add(param, p.withText(kindFunctionParamPayload, payload)) == nil {
			return nil
		}
	}
}

// digits reads decimal digits.
func (c *cursor) digits() string {
	start := c.pos
	for isDigit(c.peek()) {
		c.pos++
	}
	return c.name[start:c.pos]
}
