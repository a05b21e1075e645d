package swift

import (
	"strconv"

	"stacksnap/images/swift/internal/tree"
)

// attributes are the operators after T that are always printed before the entity.
// thunkAttributes are omitted in the simplified rendering.
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

// thunkOperators are the operators after T with one operand.
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

// thunk reads a thunk, a specialization, or another function that the compiler made
// from one in the source.
func (p *parser) thunk() *tree.Node {
	c := p.Next()
	if text := tree.At(&attributes, c); text != "" {
		return p.WithText(tree.Attribute, text)
	}
	if text := tree.At(&thunkAttributes, c); text != "" {
		return p.WithText(tree.ThunkAttribute, text)
	}
	if u := tree.At(&thunkOperators, c); u.before != "" {
		return p.of(u)
	}
	if n, ok := p.specialization(c); ok {
		return n
	}
	switch c {
	case 'T':
		if p.Accept('I') {
			return p.of(unary{"identity thunk of %0", operandEntity})
		}
		return nil
	case 'a':
		return p.WithText(tree.PartialApply, "partial apply ObjC forwarder")
	case 'A':
		return p.WithText(tree.PartialApply, "partial apply forwarder")
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

// dispatch reads a thunk or descriptor by which the runtime gets from a method's
// declaration to its code.
func (p *parser) dispatch(c byte) *tree.Node {
	switch c {
	case 'V':
		base := p.popIf(tree.IsEntity)
		return p.Phrase("vtable thunk for %1 dispatching to %0", p.popIf(tree.IsEntity), base)
	case 'W':
		entity := p.popIf(tree.IsEntity)
		return p.Phrase("protocol witness for %1 in conformance %0", p.popConformance(), entity)
	}
	requirement := p.popProtocol()
	switch c {
	case 'n':
		path := p.popAssociatedTypePath()
		return p.Phrase("associated conformance descriptor for %0.%1: %2", p.popType(), path, requirement)
	case 'N':
		path := p.popAssociatedTypePath()
		return p.Phrase("default associated conformance accessor for %0.%1: %2", p.popType(), path, requirement)
	}
	return p.Phrase("base conformance descriptor for %0: %1", p.popType(), requirement)
}

// laterAttribute reads the attribute after Tw.
func (p *parser) laterAttribute() *tree.Node {
	switch p.Next() {
	case 'b':
		return p.WithText(tree.ThunkAttribute, "back deployment thunk for ")
	case 'B':
		return p.WithText(tree.Attribute, "back deployment fallback for ")
	case 'c':
		return p.WithText(tree.Attribute, "coro function pointer to ")
	case 'd':
		return p.WithText(tree.Attribute, "default override of ")
	case 'S':
		return p.WithText(tree.Attribute, "#_hasSymbol query for ")
	}
	return nil
}

// asyncOrOutlined reads a part of a function: one of an async function, a completion
// handler, or outlined code.
func (p *parser) asyncOrOutlined(c byte) *tree.Node {
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

func (p *parser) resume(text string) *tree.Node {
	i := p.Index()
	if i < 0 {
		return nil
	}
	n := p.WithIndex(tree.ResumeFunction, i)
	if n != nil {
		n.Text = text
	}
	return n
}

func (p *parser) completionHandler(before string) *tree.Node {
	flag := p.Number(p.Index())
	signature := p.pop(tree.GenericSignature)
	result := p.popType()
	n := p.Node(tree.CompletionHandler, p.popType(), result, flag)
	tree.AddIf(n, signature)
	if n != nil {
		n.Text = before
	}
	return n
}

func (p *parser) outlinedVariable() *tree.Node {
	i := p.Index()
	if i < 0 {
		return nil
	}
	text := "outlined variable #"
	if p.Next() == 'r' {
		text = "outlined read-only object #"
	}
	return p.WithText(tree.Attribute, text+strconv.Itoa(i)+" of ")
}

// bridgedMethod reads how an outlined call of an Objective-C method bridges its
// arguments.
func (p *parser) bridgedMethod() *tree.Node {
	start := p.Pos
	switch p.Next() {
	case 'o', 'p', 'a', 'm':
	default:
		return nil
	}
	for !p.Accept('_') {
		switch p.Next() {
		case 'n', 'b', 'g':
		default:
			return nil
		}
	}
	return p.WithText(tree.Attribute, "outlined bridged method ("+p.Name[start:p.Pos-1]+") of ")
}

// reabstraction reads a thunk between two calling conventions.
func (p *parser) reabstraction(c byte) *tree.Node {
	if c == 'U' {
		actor := p.popType()
		return p.Phrase("%0 with global actor constraint %1", p.popAny(), actor)
	}
	n := p.WithText(tree.ReabstractionThunk, "reabstraction thunk ")
	if n == nil {
		return nil
	}
	tree.AddIf(n, p.pop(tree.GenericSignature))
	types := 2
	switch c {
	case 'R':
		n.Text = "reabstraction thunk helper "
	case 'y':
		n.Kind, types = tree.ReabstractionThunkWithSelf, 3
	}
	for range types {
		if n = tree.Add(n, p.popType()); n == nil {
			return nil
		}
	}
	return n
}

// keyPathThunk reads a function that implements a key path.
func (p *parser) keyPathThunk(c byte) *tree.Node {
	if c == 'H' || c == 'h' {
		return p.keyPathIndexThunk(c)
	}
	text := "key path getter for "
	switch {
	case p.AcceptString("mu"):
		text = "key path unapplied method "
	case p.AcceptString("MA"):
		text = "key path applied method "
	case c == 'k':
		text = "key path setter for "
	}
	serialized := p.Accept('q')
	types := p.popTypes()
	if types == nil || types.Child(0) == nil {
		return nil
	}
	signature := p.pop(tree.GenericSignature)
	n := p.Node(tree.KeyPathThunk, p.popAny())
	tree.AddIf(n, signature)
	return p.keyPathTypes(n, text, types, serialized)
}

// popTypes pops all types on top of the stack.
func (p *parser) popTypes() *tree.Node {
	list := p.Leaf(tree.TypeList)
	for t := p.popType(); t != nil; t = p.popType() {
		tree.AddIf(list, t)
	}
	if list != nil {
		list.Reverse(0)
	}
	return list
}

func (p *parser) keyPathTypes(n *tree.Node, text string, types *tree.Node, serialized bool) *tree.Node {
	if n == nil {
		return nil
	}
	n.Text = text
	for _, t := range types.Children {
		tree.AddIf(n, t)
	}
	if serialized {
		tree.AddIf(n, p.Leaf(tree.Serialized))
	}
	return n
}

// keyPathIndexThunk reads a function that compares or hashes the indices of a key
// path.
func (p *parser) keyPathIndexThunk(c byte) *tree.Node {
	text := "key path index hash operator for "
	if c == 'H' {
		text = "key path index equality operator for "
	}
	serialized := p.Accept('q')
	signature := p.pop(tree.GenericSignature)
	types := p.popTypes()
	if types == nil || len(p.stack) > 0 || signature == nil && types.Child(0) == nil {
		return nil
	}
	n := p.Leaf(tree.KeyPathIndexThunk)
	tree.AddIf(n, signature)
	return p.keyPathTypes(n, text, types, serialized)
}
