package swift

import (
	"strconv"
	"strings"
)

// typeMangling is a type on its own.
func (p *parser) typeMangling() *node {
	t := p.popType()
	labels := p.popLabels(t)
	n := p.leaf(kindTypeMangling)
	addIf(n, labels)
	return add(n, t)
}

func (p *parser) class() *node     { return p.nominal(kindClass) }
func (p *parser) structure() *node { return p.nominal(kindStructure) }
func (p *parser) enum() *node      { return p.nominal(kindEnum) }
func (p *parser) protocol() *node  { return p.nominal(kindProtocol) }
func (p *parser) typeAlias() *node { return p.nominal(kindTypeAlias) }

// nominal takes a name and the context that it is in.
func (p *parser) nominal(k kind) *node {
	name := p.popIf(isDeclName)
	return p.remembered(p.typed(p.node(k, p.popContext(), name)))
}

// popNominal takes a type that may have generic arguments, and returns what it is.
func (p *parser) popNominal() *node {
	n := p.popInner()
	if n == nil || !isNominal(n.kind) {
		return nil
	}
	return n
}

func (p *parser) integer() *node {
	sign, k := 1, kindInteger
	if p.accept('n') {
		sign = -1
	}
	i := p.index()
	if i < 0 {
		return nil
	}
	return p.typed(p.withIndex(k, sign*i))
}

// wrapped makes a type that is printed by a template, of the type on the stack.
func (p *parser) wrapped(template string) *node { return p.typed(p.phrase(template, p.popInner())) }

func (p *parser) shared() *node { return p.wrapped("__shared %0") }
func (p *parser) owned() *node  { return p.wrapped("__owned %0") }
func (p *parser) inOut() *node  { return p.typed(p.node(kindInOut, p.popInner())) }

// annotations are the operators after Y that are markers.
var annotations = [128]kind{
	'a': kindAsync, 'A': kindIsolatedAny, 'b': kindSendable, 'C': kindNonIsolatedCaller, 'T': kindSendingResult,
}

// annotatedTypes are those that are put before a type.
var annotatedTypes = [128]string{
	'i': "isolated %0", 'k': "@noDerivative %0", 't': "_const %0", 'g': "@const %0", 'u': "sending %0",
}

// annotation reads what is said of a function or a parameter.
func (p *parser) annotation() *node {
	c := p.next()
	if k := at(&annotations, c); k != kindNone {
		return p.leaf(k)
	}
	if template := at(&annotatedTypes, c); template != "" {
		return p.wrapped(template)
	}
	switch c {
	case 'c':
		return p.node(kindGlobalActor, p.popInner())
	case 'K':
		return p.node(kindTypedThrows, p.popInner())
	case 'j':
		return p.differentiability(kindDifferentiable)
	}
	return nil
}

// tuple takes the elements of a tuple.
func (p *parser) tuple() *node {
	return p.typed(p.popList(p.leaf(kindTuple), (*parser).popTupleElement))
}

func (p *parser) popTupleElement() *node {
	element := p.leaf(kindTupleElement)
	addIf(element, p.pop(kindVariadic))
	if name := p.pop(kindIdentifier); name != nil {
		addIf(element, p.withText(kindTupleElementName, name.text))
	}
	return add(element, p.popType())
}

// pack takes the types of a pack.
func (p *parser) pack(template string) *node {
	n := p.withText(kindSimpleType, template)
	return p.typed(p.popList(n, (*parser).popType))
}

// builtinNames are the types of the compiler's own.
var builtinNames = [128]string{
	'A': "ImplicitActor", 'b': "BridgeObject", 'B': "UnsafeValueBuffer", 'e': "Executor", 'I': "IntLiteral",
	'O': "UnknownObject", 'o': "NativeObject", 'p': "RawPointer", 'j': "Job", 'D': "DefaultActorStorage",
	'd': "NonDefaultDistributedActorStorage", 'c': "RawUnsafeContinuation", 't': "SILToken", 'w': "Word",
	'P': "PackIndex",
}

const (
	builtinPrefix  = "Builtin."
	maxBuiltinSize = 4096 // bits of a number, elements of a vector
)

func (p *parser) builtinType() *node {
	c := p.next()
	if name := at(&builtinNames, c); name != "" {
		return p.builtin(name)
	}
	switch c {
	case 'f':
		return p.sizedBuiltin("FPIEEE")
	case 'i':
		return p.sizedBuiltin("Int")
	case 'v':
		return p.builtinVector()
	case 'V':
		element := p.popType()
		size := p.popType()
		return p.typed(p.simplePhrase("Builtin.FixedArray<%0, %1>", size, element))
	case 'T':
		return p.typed(p.withText(kindBuiltinTupleType, "Builtin.TheTupleType"))
	}
	return nil
}

func (p *parser) builtin(name string) *node {
	return p.typed(p.withText(kindBuiltinTypeName, builtinPrefix+name))
}

// builtinSize reads a size, as text.
func (p *parser) builtinSize() string {
	if n := p.index() - 1; n > 0 && n <= maxBuiltinSize {
		return strconv.Itoa(n)
	}
	return ""
}

func (p *parser) sizedBuiltin(name string) *node {
	size := p.builtinSize()
	if size == "" {
		return nil
	}
	return p.builtin(name + size)
}

func (p *parser) builtinVector() *node {
	size := p.builtinSize()
	element := p.popInner()
	if size == "" || !element.is(kindBuiltinTypeName) {
		return nil
	}
	return p.builtin("Vec" + size + "x" + strings.TrimPrefix(element.text, builtinPrefix))
}

// simplePhrase makes a type that is printed by a template and needs no parentheses.
func (p *parser) simplePhrase(template string, children ...*node) *node {
	n := p.node(kindSimpleType, children...)
	if n != nil {
		n.text = template
	}
	return n
}

// typePhrases are the operators after X that are put to a type.
var typePhrases = [128]string{'o': "unowned %0", 'u': "unowned(unsafe) %0", 'w': "weak %0"}

// functionTypes are the operators after X for functions that are no plain ones.
var functionTypes = [128]kind{
	'E': kindNoEscapeFunctionType, 'A': kindAutoClosureType, 'K': kindAutoClosureType, 'f': kindThinFunctionType,
	'U': kindUncurriedFunctionType, 'L': kindEscapingObjCBlock, 'B': kindObjCBlock, 'C': kindCFunctionPointer,
}

// specialType reads the rarer types.
func (p *parser) specialType() *node {
	c := p.next()
	if k := at(&functionTypes, c); k != kindNone {
		return p.popFunction(k, nil)
	}
	if template := at(&typePhrases, c); template != "" {
		return p.typed(p.phrase(template, p.popType()))
	}
	switch c {
	case 'z':
		return p.functionOfClangType()
	case 'b':
		return p.typed(p.simplePhrase("@box %0", p.popType()))
	case 'D':
		return p.typed(p.simplePhrase("Self", p.popType()))
	case 'e':
		return p.typed(p.simplePhrase("<ERROR TYPE>"))
	case 'S':
		return p.sugaredType()
	case 'X', 'x':
		return p.boxType(c == 'X')
	case 'Y':
		return p.nominal(kindOtherNominalType)
	case 'Z':
		return p.anonymousContext()
	}
	return p.existentialType(c)
}

func (p *parser) functionOfClangType() *node {
	k := kindObjCBlock
	switch p.next() {
	case 'B':
	case 'C':
		k = kindCFunctionPointer
	default:
		return nil
	}
	clang := p.clangType()
	if clang == nil {
		return nil
	}
	return p.popFunction(k, clang)
}

// clangType reads the mangled name of a type of C's.
func (p *parser) clangType() *node {
	name, ok := p.identifierPart()
	if !ok {
		return nil
	}
	return p.withText(kindClangType, name)
}

// sugaredType reads a type as it is written, for debuggers.
func (p *parser) sugaredType() *node {
	switch p.next() {
	case 'q':
		return p.typed(p.node(kindSugaredOptional, p.popType()))
	case 'a':
		return p.typed(p.simplePhrase("[%0]", p.popType()))
	case 'p':
		return p.typed(p.simplePhrase("(%0)", p.popType()))
	case 'A':
		element := p.popType()
		return p.typed(p.simplePhrase("[%0 of %1]", p.popType(), element))
	case 'D':
		value := p.popType()
		return p.typed(p.simplePhrase("[%0 : %1]", p.popType(), value))
	}
	return nil
}

// boxType reads a box of the intermediate language: fields, of which the mutable
// ones are mangled as inout.
func (p *parser) boxType(generic bool) *node {
	var signature, arguments *node
	if generic {
		signature = p.pop(kindGenericSignature)
		if arguments = p.popTypeList(); signature == nil || arguments == nil {
			return nil
		}
	}
	fields := p.popTypeList()
	if fields == nil {
		return nil
	}
	layout := p.leaf(kindSILBoxLayout)
	for _, field := range fields.children {
		keyword := "let %0"
		if inner := field.child(0); inner.is(kindInOut) {
			keyword, field = "var %0", p.typed(inner.child(0))
		}
		if add(layout, p.phrase(keyword, field)) == nil {
			return nil
		}
	}
	box := p.node(kindSILBoxTypeWithLayout, layout)
	addIf(box, signature)
	addIf(box, arguments)
	return p.typed(box)
}

func (p *parser) anonymousContext() *node {
	types := p.popTypeList()
	name := p.pop(kindIdentifier)
	return p.node(kindAnonymousContext, name, p.popContext(), types)
}
