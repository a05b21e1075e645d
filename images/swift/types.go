package swift

import (
	"strconv"
	"strings"

	"stacksnap/images/swift/internal/tree"
)

// typeMangling pops a type that is the whole name.
func (p *parser) typeMangling() *tree.Node {
	t := p.popType()
	labels := p.popLabels(t)
	n := p.Leaf(tree.TypeMangling)
	tree.AddIf(n, labels)
	return tree.Add(n, t)
}

func (p *parser) class() *tree.Node     { return p.nominal(tree.Class) }
func (p *parser) structure() *tree.Node { return p.nominal(tree.Structure) }
func (p *parser) enum() *tree.Node      { return p.nominal(tree.Enum) }
func (p *parser) protocol() *tree.Node  { return p.nominal(tree.Protocol) }
func (p *parser) typeAlias() *tree.Node { return p.nominal(tree.TypeAlias) }

// nominal pops the name of a nominal type and its context.
func (p *parser) nominal(k tree.Kind) *tree.Node {
	name := p.popIf(tree.IsDeclName)
	return p.remembered(p.Typed(p.Node(k, p.popContext(), name)))
}

// popNominal pops a nominal type and returns the node inside its Type node.
func (p *parser) popNominal() *tree.Node {
	n := p.popInner()
	if n == nil || !tree.IsNominal(n.Kind) {
		return nil
	}
	return n
}

func (p *parser) integer() *tree.Node {
	sign, k := 1, tree.Integer
	if p.Accept('n') {
		sign = -1
	}
	i := p.Index()
	if i < 0 {
		return nil
	}
	return p.Typed(p.WithIndex(k, sign*i))
}

// wrapped makes a type from the type on the stack, printed by a template.
func (p *parser) wrapped(template string) *tree.Node {
	return p.Typed(p.Phrase(template, p.popInner()))
}

func (p *parser) shared() *tree.Node { return p.wrapped("__shared %0") }
func (p *parser) owned() *tree.Node  { return p.wrapped("__owned %0") }
func (p *parser) inOut() *tree.Node  { return p.Typed(p.Node(tree.InOut, p.popInner())) }

// annotations are the operators after Y without operands.
var annotations = [128]tree.Kind{
	'a': tree.Async, 'A': tree.IsolatedAny, 'b': tree.Sendable, 'C': tree.NonIsolatedCaller, 'T': tree.SendingResult,
}

// annotatedTypes are the operators after Y that are printed before a type, with their
// templates.
var annotatedTypes = [128]string{
	'i': "isolated %0", 'k': "@noDerivative %0", 't': "_const %0", 'g': "@const %0", 'u': "sending %0",
}

// annotation reads an attribute of a function or of a parameter's type.
func (p *parser) annotation() *tree.Node {
	c := p.Next()
	if k := tree.At(&annotations, c); k != tree.None {
		return p.Leaf(k)
	}
	if template := tree.At(&annotatedTypes, c); template != "" {
		return p.wrapped(template)
	}
	switch c {
	case 'c':
		return p.Node(tree.GlobalActor, p.popInner())
	case 'K':
		return p.Node(tree.TypedThrows, p.popInner())
	case 'j':
		return p.differentiability(tree.Differentiable)
	}
	return nil
}

// tuple pops the elements of a tuple.
func (p *parser) tuple() *tree.Node {
	return p.Typed(p.popList(p.Leaf(tree.Tuple), (*parser).popTupleElement))
}

func (p *parser) popTupleElement() *tree.Node {
	element := p.Leaf(tree.TupleElement)
	tree.AddIf(element, p.pop(tree.Variadic))
	if name := p.pop(tree.Identifier); name != nil {
		tree.AddIf(element, p.WithText(tree.TupleElementName, name.Text))
	}
	return tree.Add(element, p.popType())
}

// pack pops the types in a pack.
func (p *parser) pack(template string) *tree.Node {
	n := p.WithText(tree.SimpleType, template)
	return p.Typed(p.popList(n, (*parser).popType))
}

// maxBuiltinSize is the maximum number of bits of a builtin number and of elements of
// a builtin vector.
const maxBuiltinSize = 4096

func (p *parser) builtinType() *tree.Node {
	c := p.Next()
	if name := tree.At(&tree.BuiltinNames, c); name != "" {
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
		return p.Typed(p.Simple("Builtin.FixedArray<%0, %1>", size, element))
	case 'T':
		return p.Typed(p.WithText(tree.BuiltinTupleType, "Builtin.TheTupleType"))
	}
	return nil
}

func (p *parser) builtin(name string) *tree.Node {
	return p.Typed(p.WithText(tree.BuiltinTypeName, tree.BuiltinPrefix+name))
}

// builtinSize reads a size and returns it as text, "" if it is invalid.
func (p *parser) builtinSize() string {
	if n := p.Index() - 1; n > 0 && n <= maxBuiltinSize {
		return strconv.Itoa(n)
	}
	return ""
}

func (p *parser) sizedBuiltin(name string) *tree.Node {
	size := p.builtinSize()
	if size == "" {
		return nil
	}
	return p.builtin(name + size)
}

func (p *parser) builtinVector() *tree.Node {
	size := p.builtinSize()
	element := p.popInner()
	if size == "" || !element.Is(tree.BuiltinTypeName) {
		return nil
	}
	return p.builtin("Vec" + size + "x" + strings.TrimPrefix(element.Text, tree.BuiltinPrefix))
}

// functionTypes are the operators after X for special function types.
var functionTypes = [128]tree.Kind{
	'E': tree.NoEscapeFunctionType, 'A': tree.AutoClosureType, 'K': tree.AutoClosureType, 'f': tree.ThinFunctionType,
	'U': tree.UncurriedFunctionType, 'L': tree.EscapingObjCBlock, 'B': tree.ObjCBlock, 'C': tree.CFunctionPointer,
}

// specialType reads the types after X.
func (p *parser) specialType() *tree.Node {
	c := p.Next()
	if k := tree.At(&functionTypes, c); k != tree.None {
		return p.popFunction(k, nil)
	}
	if template := tree.At(&tree.TypePhrases, c); template != "" {
		return p.Typed(p.Phrase(template, p.popType()))
	}
	switch c {
	case 'z':
		return p.functionOfClangType()
	case 'b':
		return p.Typed(p.Simple("@box %0", p.popType()))
	case 'D':
		return p.Typed(p.Simple("Self", p.popType()))
	case 'e':
		return p.Typed(p.Simple("<ERROR TYPE>"))
	case 'S':
		return p.sugaredType()
	case 'X', 'x':
		return p.boxType(c == 'X')
	case 'Y':
		return p.nominal(tree.OtherNominalType)
	case 'Z':
		return p.anonymousContext()
	}
	return p.existentialType(c)
}

func (p *parser) functionOfClangType() *tree.Node {
	k := tree.ObjCBlock
	switch p.Next() {
	case 'B':
	case 'C':
		k = tree.CFunctionPointer
	default:
		return nil
	}
	clang := p.clangType()
	if clang == nil {
		return nil
	}
	return p.popFunction(k, clang)
}

// clangType reads the mangled name of a C type.
func (p *parser) clangType() *tree.Node {
	name, ok := p.identifierPart()
	if !ok {
		return nil
	}
	return p.WithText(tree.ClangType, name)
}

// sugaredType reads a type in its source form, such as [Int] for Array<Int>, which
// debuggers keep.
func (p *parser) sugaredType() *tree.Node {
	switch p.Next() {
	case 'q':
		return p.Typed(p.Node(tree.SugaredOptional, p.popType()))
	case 'a':
		return p.Typed(p.Simple("[%0]", p.popType()))
	case 'p':
		return p.Typed(p.Simple("(%0)", p.popType()))
	case 'A':
		element := p.popType()
		return p.Typed(p.Simple("[%0 of %1]", p.popType(), element))
	case 'D':
		value := p.popType()
		return p.Typed(p.Simple("[%0 : %1]", p.popType(), value))
	}
	return nil
}

// boxType reads a box of SIL and its fields. Mutable fields are mangled as inout.
func (p *parser) boxType(generic bool) *tree.Node {
	var signature, arguments *tree.Node
	if generic {
		signature = p.pop(tree.GenericSignature)
		if arguments = p.popTypeList(); signature == nil || arguments == nil {
			return nil
		}
	}
	fields := p.popTypeList()
	if fields == nil {
		return nil
	}
	layout := p.Leaf(tree.SILBoxLayout)
	for _, field := range fields.Children {
		keyword := "let %0"
		if inner := field.Child(0); inner.Is(tree.InOut) {
			keyword, field = "var %0", p.Typed(inner.Child(0))
		}
		if tree.Add(layout, p.Phrase(keyword, field)) == nil {
			return nil
		}
	}
	box := p.Node(tree.SILBoxTypeWithLayout, layout)
	tree.AddIf(box, signature)
	tree.AddIf(box, arguments)
	return p.Typed(box)
}

func (p *parser) anonymousContext() *tree.Node {
	types := p.popTypeList()
	name := p.pop(tree.Identifier)
	return p.Node(tree.AnonymousContext, name, p.popContext(), types)
}
