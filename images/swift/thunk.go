package swift

import "strconv"

// attributes are the operators after T that are put before the entity and shown
// always; thunkAttributes are left out when simplified.
var (
	attributes = [128]string{
		'o': "@objc ", 'O': "@nonobjc ", 'D': "dynamic ", 'd': "super ", 'u': "async function pointer to ",
	}
	thunkAttributes = [128]string{
		'E': "distributed thunk ", 'F': "distributed accessor for ", 'm': "merged ",
		'X': "dynamically replaceable variable for ", 'x': "dynamically replaceable key for ",
		'I': "dynamically replaceable thunk for ",
	}
)

// thunkOperators are the operators after T that take one operand.
var thunkOperators = [128]unary{
	'c': {"curry thunk of %0", operandEntity},
	'j': {"dispatch thunk of %0", operandEntity},
	'q': {"method descriptor for %0", operandEntity},
	'C': {"coroutine continuation prototype for %0", operandType},
	'S': {"protocol self-conformance witness for %0", operandEntity},
	'l': {"associated type descriptor for %0", operandAssociatedType},
	'L': {"protocol requirements base descriptor for %0", operandProtocol},
	'M': {"default associated type metadata accessor for %0", operandAssociatedType},
}

// thunk reads thunks, specializations and other functions made from one in the
// source.
func (p *parser) thunk() *node {
	c := p.next()
	if text := at(&attributes, c); text != "" {
		return p.withText(kindAttribute, text)
	}
	if text := at(&thunkAttributes, c); text != "" {
		return p.withText(kindThunkAttribute, text)
	}
	if u := at(&thunkOperators, c); u.before != "" {
		return p.of(u)
	}
	if n, ok := p.specialization(c); ok {
		return n
	}
	switch c {
	case 'T':
		if p.accept('I') {
			return p.of(unary{"identity thunk of %0", operandEntity})
		}
		return nil
	case 'a':
		return p.withText(kindPartialApply, "partial apply ObjC forwarder")
	case 'A':
		return p.withText(kindPartialApply, "partial apply forwarder")
	case 'R', 'r', 'y', 'U':
		return p.reabstraction(c)
	case 'K', 'k', 'H', 'h':
		return p.keyPathThunk(c)
	case 'J':
		return p.autoDiffThunk()
	case 'w':
		return p.laterAttribute()
	case 'V', 'W', 'n', 'N', 'b':
		return p.dispatch(c)
	}
	return p.asyncOrOutlined(c)
}

// dispatch reads what gets from the declaration of a method to its code.
func (p *parser) dispatch(c byte) *node {
	switch c {
	case 'V':
		base := p.popIf(isEntity)
		return p.phrase("vtable thunk for %1 dispatching to %0", p.popIf(isEntity), base)
	case 'W':
		entity := p.popIf(isEntity)
		return p.phrase("protocol witness for %1 in conformance %0", p.popConformance(), entity)
	}
	requirement := p.popProtocol()
	switch c {
	case 'n':
		path := p.popAssociatedTypePath()
		return p.phrase("associated conformance descriptor for %0.%1: %2", p.popType(), path, requirement)
	case 'N':
		path := p.popAssociatedTypePath()
		return p.phrase("default associated conformance accessor for %0.%1: %2", p.popType(), path, requirement)
	}
	return p.phrase("base conformance descriptor for %0: %1", p.popType(), requirement)
}

// laterAttribute reads the attributes after Tw.
func (p *parser) laterAttribute() *node {
	switch p.next() {
	case 'b':
		return p.withText(kindThunkAttribute, "back deployment thunk for ")
	case 'B':
		return p.withText(kindAttribute, "back deployment fallback for ")
	case 'c':
		return p.withText(kindAttribute, "coro function pointer to ")
	case 'd':
		return p.withText(kindAttribute, "default override of ")
	case 'S':
		return p.withText(kindAttribute, "#_hasSymbol query for ")
	}
	return nil
}

// asyncOrOutlined reads the parts that functions are cut into.
func (p *parser) asyncOrOutlined(c byte) *node {
	switch c {
	case 'Q':
		return p.resume(") await resume partial function for ")
	case 'Y':
		return p.resume(") suspend resume partial function for ")
	case 'z':
		return p.completionHandler("")
	case 'Z':
		return p.completionHandler("checked ")
	case 'v':
		return p.outlinedVariable()
	case 'e':
		return p.bridgedMethod()
	}
	return nil
}

func (p *parser) resume(text string) *node {
	i := p.index()
	if i < 0 {
		return nil
	}
	n := p.withIndex(kindResumeFunction, i)
	if n != nil {
		n.text = text
	}
	return n
}

func (p *parser) completionHandler(before string) *node {
	flag := p.numberNode()
	signature := p.pop(kindGenericSignature)
	result := p.popType()
	n := p.node(kindCompletionHandler, p.popType(), result, flag)
	addIf(n, signature)
	if n != nil {
		n.text = before
	}
	return n
}

func (p *parser) outlinedVariable() *node {
	i := p.index()
	if i < 0 {
		return nil
	}
	text := "outlined variable #"
	if p.next() == 'r' {
		text = "outlined read-only object #"
	}
	return p.withText(kindAttribute, text+strconv.Itoa(i)+" of ")
}

// bridgedMethod reads how the arguments of a method of Objective-C's are passed.
func (p *parser) bridgedMethod() *node {
	start := p.pos
	switch p.next() {
	case 'o', 'p', 'a', 'm':
	default:
		return nil
	}
	for !p.accept('_') {
		switch p.next() {
		case 'n', 'b', 'g':
		default:
			return nil
		}
	}
	return p.withText(kindAttribute, "outlined bridged method ("+p.name[start:p.pos-1]+") of ")
}

// reabstraction reads thunks between two ways to call a function.
func (p *parser) reabstraction(c byte) *node {
	if c == 'U' {
		actor := p.popType()
		return p.phrase("%0 with global actor constraint %1", p.popAny(), actor)
	}
	n := p.withText(kindReabstractionThunk, "reabstraction thunk ")
	if n == nil {
		return nil
	}
	addIf(n, p.pop(kindGenericSignature))
	types := 2
	switch c {
	case 'R':
		n.text = "reabstraction thunk helper "
	case 'y':
		n.kind, types = kindReabstractionThunkWithSelf, 3
	}
	for range types {
		if n = add(n, p.popType()); n == nil {
			return nil
		}
	}
	return n
}

// keyPathThunk reads the functions that a key path is made of.
func (p *parser) keyPathThunk(c byte) *node {
	if c == 'H' || c == 'h' {
		return p.keyPathIndexThunk(c)
	}
	text := "key path getter for "
	switch {
	case p.acceptString("mu"):
		text = "key path unapplied method "
	case p.acceptString("MA"):
		text = "key path applied method "
	case c == 'k':
		text = "key path setter for "
	}
	serialized := p.accept('q')
	types := p.popTypes()
	if types == nil || types.child(0) == nil {
		return nil
	}
	signature := p.pop(kindGenericSignature)
	n := p.node(kindKeyPathThunk, p.popAny())
	addIf(n, signature)
	return p.keyPathTypes(n, text, types, serialized)
}

// popTypes takes all types on top of the stack.
func (p *parser) popTypes() *node {
	list := p.leaf(kindTypeList)
	for t := p.popType(); t != nil; t = p.popType() {
		addIf(list, t)
	}
	if list != nil {
		list.reverse(0)
	}
	return list
}

func (p *parser) keyPathTypes(n *node, text string, types *node, serialized bool) *node {
	if n == nil {
		return nil
	}
	n.text = text
	for _, t := range types.children {
		addIf(n, t)
	}
	if serialized {
		addIf(n, p.leaf(kindSerialized))
	}
	return n
}

// keyPathIndexThunk reads what compares or hashes the indices in a key path.
func (p *parser) keyPathIndexThunk(c byte) *node {
	text := "key path index hash operator for "
	if c == 'H' {
		text = "key path index equality operator for "
	}
	serialized := p.accept('q')
	signature := p.pop(kindGenericSignature)
	types := p.popTypes()
	if types == nil || len(p.stack) > 0 || signature == nil && types.child(0) == nil {
		return nil
	}
	n := p.leaf(kindKeyPathIndexThunk)
	addIf(n, signature)
	return p.keyPathTypes(n, text, types, serialized)
}
