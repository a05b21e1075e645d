package swift

import (
	"stacksnap/images/swift/internal/old"
	"stacksnap/images/swift/internal/tree"
)

// parser parses the mangling since Swift 4, which is in postfix order: an operator
// pops its operands from the stack, and pushes the node that it makes.
type parser struct {
	tree.Cursor
	tree.Arena
	stack         []*tree.Node
	substitutions []*tree.Node
	words         words
	oldLabels     bool // argument labels are in the types, as in Swift 4

	stackSpace [24]*tree.Node // the stack and substitutions of most names
	substSpace [24]*tree.Node
}

func newParser(name string, prefix int) *parser {
	p := &parser{Cursor: tree.Cursor{Name: name, Pos: prefix}}
	p.oldLabels = name[:len(old.Prefix)] == old.Prefix
	p.stack = p.stackSpace[:0]
	p.substitutions = p.substSpace[:0]
	return p
}

// symbol parses the whole name: an entity, then the attributes, which are printed
// before the entity, and a suffix.
func (p *parser) symbol() *tree.Node {
	if !p.operators() {
		return nil
	}
	root := p.Leaf(tree.Global)
	suffix := p.pop(tree.Suffix)
	parent := root
	for n := p.popIf(tree.IsFunctionAttribute); n != nil; n = p.popIf(tree.IsFunctionAttribute) {
		tree.AddIf(parent, n)
		if n.Kind == tree.PartialApply {
			parent = n
		}
	}
	entity := p.popAny()
	if entity.Is(tree.Type) {
		entity = entity.Child(0)
	}
	if len(p.stack) > 0 || !complete(entity, root) {
		return nil
	}
	tree.AddIf(parent, entity)
	tree.AddIf(root, suffix)
	return root
}

// complete reports whether an entity can be the whole name, after what precedes it in
// the root. A partial apply needs no entity. A bare name needs an attribute before
// it.
func complete(entity, root *tree.Node) bool {
	switch {
	case entity == nil:
		return root.Last().Is(tree.PartialApply)
	case tree.IsDeclName(entity.Kind):
		return root.Child(0) != nil
	}
	return !tree.IsPart(entity.Kind)
}

// operators parses all operators and leaves their nodes on the stack.
func (p *parser) operators() bool {
	for p.Pos < len(p.Name) {
		n := p.operator()
		if n == nil || len(p.stack) >= maxStack {
			return false
		}
		p.push(n)
	}
	return true
}

// operator parses one operator.
func (p *parser) operator() *tree.Node {
	c := p.Peek()
	if int(c) >= len(operators) {
		return nil
	}
	if tree.IsDigit(c) {
		return p.identifier()
	}
	if k := markers[c]; k != tree.None {
		p.Pos++
		return p.Leaf(k)
	}
	if f := operators[c]; f != nil {
		p.Pos++
		return f(p)
	}
	return nil
}

// markers are the operators without operands.
var markers = [128]tree.Kind{
	'K': tree.Throws,
	'd': tree.Variadic,
	'y': tree.EmptyList,
	'_': tree.FirstElement,
}

// operators are the other operators, by their first byte.
var operators = [128]func(*parser) *tree.Node{
	'A': (*parser).multiSubstitution,
	'B': (*parser).builtinType,
	'C': (*parser).class,
	'D': (*parser).typeMangling,
	'E': (*parser).extension,
	'F': (*parser).function,
	'G': (*parser).boundGeneric,
	'H': (*parser).conformance,
	'I': (*parser).implFunctionType,
	'L': (*parser).localName,
	'M': (*parser).metadata,
	'N': (*parser).typeMetadata,
	'O': (*parser).enum,
	'P': (*parser).protocol,
	'Q': (*parser).archetype,
	'R': (*parser).requirement,
	'S': (*parser).standardSubstitution,
	'T': (*parser).thunk,
	'V': (*parser).structure,
	'W': (*parser).witness,
	'X': (*parser).specialType,
	'Y': (*parser).annotation,
	'Z': (*parser).static,
	'a': (*parser).typeAlias,
	'c': (*parser).functionType,
	'f': (*parser).functionEntity,
	'g': (*parser).retroactiveConformance,
	'h': (*parser).shared,
	'i': (*parser).subscript,
	'l': (*parser).signature,
	'm': (*parser).metatype,
	'n': (*parser).owned,
	'o': (*parser).operatorName,
	'p': (*parser).protocolListType,
	'q': (*parser).genericParamType,
	'r': (*parser).signatureWithCounts,
	's': (*parser).swiftModule,
	't': (*parser).tuple,
	'u': (*parser).genericType,
	'v': (*parser).variable,
	'w': (*parser).valueWitness,
	'x': (*parser).firstParamType,
	'z': (*parser).inOut,
	'.': (*parser).suffix,
	'$': (*parser).integer,
}

func (p *parser) push(n *tree.Node) { p.stack = append(p.stack, n) }

// popAny pops the node on top of the stack, nil if the stack is empty.
func (p *parser) popAny() *tree.Node {
	if len(p.stack) == 0 {
		return nil
	}
	n := p.stack[len(p.stack)-1]
	p.stack = p.stack[:len(p.stack)-1]
	return n
}

// pop pops the node on top of the stack if it is of kind k, else it returns nil.
func (p *parser) pop(k tree.Kind) *tree.Node {
	if len(p.stack) == 0 || p.stack[len(p.stack)-1].Kind != k {
		return nil
	}
	return p.popAny()
}

// popIf pops the node on top of the stack if wanted accepts its kind, else it returns
// nil.
func (p *parser) popIf(wanted func(tree.Kind) bool) *tree.Node {
	if len(p.stack) == 0 || !wanted(p.stack[len(p.stack)-1].Kind) {
		return nil
	}
	return p.popAny()
}

func (p *parser) popType() *tree.Node { return p.pop(tree.Type) }

// popInner pops a type and returns the node inside its Type node.
func (p *parser) popInner() *tree.Node { return p.popType().Child(0) }

// popList pops elements by pop and adds them to a list, in the order of the mangling.
// An EmptyList node (y) is an empty list; in other lists FirstElement (_) follows the
// first element.
func (p *parser) popList(list *tree.Node, pop func(*parser) *tree.Node) *tree.Node {
	if list == nil || p.pop(tree.EmptyList) != nil {
		return list
	}
	return p.popElements(list, pop)
}

// popElements is popList for a list with at least one element.
func (p *parser) popElements(list *tree.Node, pop func(*parser) *tree.Node) *tree.Node {
	first := len(list.Children)
	for begun := false; !begun; {
		begun = p.pop(tree.FirstElement) != nil
		if tree.Add(list, pop(p)) == nil {
			return nil
		}
	}
	list.Reverse(first)
	return list
}

// popTypeList pops a list of types.
func (p *parser) popTypeList() *tree.Node {
	return p.popList(p.Leaf(tree.TypeList), (*parser).popType)
}

// suffix reads the suffix that a compiler pass appended to the name, such as
// .resume.0.
func (p *parser) suffix() *tree.Node {
	p.Pos--
	return p.WithText(tree.Suffix, p.Rest())
}
