// Package old parses the mangling of Swift before version 4, _T, which the Objective-C runtime
// still uses for types.
package old

import (
	"stacksnap/images/swift/internal/tree"
)

// parser parses the mangling before Swift 4, which is in prefix order: an operator
// precedes its operands.
type parser struct {
	tree.Cursor
	tree.Arena
	substitutions []*tree.Node
	depth         int
}

// Parse returns the tree of a name without its _T, nil if the name is invalid.
func Parse(name string) *tree.Node {
	p := &parser{Cursor: tree.Cursor{Name: name}}
	return p.symbol()
}

// maxDepth bounds how deep the parser recurses.
const maxDepth = 512

// deeper calls parse unless the recursion is too deep.
func (p *parser) deeper(parse func(*parser) *tree.Node) *tree.Node {
	if p.depth >= maxDepth || p.Pos >= len(p.Name) {
		return nil
	}
	p.depth++
	n := parse(p)
	p.depth--
	return n
}

func (p *parser) remember(n *tree.Node) *tree.Node {
	if n != nil {
		p.substitutions = append(p.substitutions, n)
	}
	return n
}

// attributes precede the entity.
var attributes = [...]struct{ code, text string }{
	{"To", "@objc "}, {"TO", "@nonobjc "}, {"TD", "dynamic "}, {"Td", "super "}, {"TV", "override "},
}

// symbol parses the whole name.
func (p *parser) symbol() *tree.Node {
	root := p.Leaf(tree.Global)
	if p.AcceptString("TS") {
		if !p.specializations(root) {
			return nil
		}
	} else {
		for _, a := range &attributes {
			if p.AcceptString(a.code) {
				tree.AddIf(root, p.WithText(tree.Attribute, a.text))
				break
			}
		}
	}
	entity := p.global()
	root = tree.Add(root, entity)
	if root == nil || p.Pos == len(p.Name) {
		return root
	}
	if tree.IsNominal(entity.Kind) || entity.Kind == tree.TypeMangling {
		return nil // types have no suffix, because they have no code that can be split: _TSinit is not Swift.Int
	}
	return tree.Add(root, p.WithText(tree.Suffix, p.Rest()))
}

// metadataPhrases are the operators after M. Without an operator, M is the type
// metadata itself.
var metadataPhrases = [128]string{
	'P': "generic type metadata pattern for %0", 'a': "type metadata accessor for %0",
	'L': "lazy cache variable for type metadata for %0", 'm': "metaclass for %0",
	'n': "nominal type descriptor for %0", 'f': "full type metadata for %0",
}

// witnessPhrases are the operators after W that precede a conformance.
var witnessPhrases = [128]string{
	'P': "protocol witness table for %0", 'G': "generic protocol witness table for %0",
	'I': "instantiation function for generic protocol witness table for %0",
	'a': "protocol witness table accessor for %0",
}

// global reads the entity of a symbol, or what the compiler generated for one.
func (p *parser) global() *tree.Node {
	switch {
	case p.Accept('M'):
		return p.metadata()
	case p.AcceptString("PA"):
		return p.partialApply()
	case p.Accept('t'):
		return p.Node(tree.TypeMangling, p.typed())
	case p.Accept('w'):
		name := p.ValueWitnessName()
		return p.ValueWitnessNode(name, p.typed())
	case p.Accept('W'):
		return p.witness()
	case p.Accept('T'):
		return p.thunk()
	}
	return p.entity()
}

func (p *parser) metadata() *tree.Node {
	if p.Accept('p') {
		return p.Phrase("protocol descriptor for %0", p.protocolType())
	}
	text := tree.At(&metadataPhrases, p.Peek())
	if text == "" {
		return p.Phrase("type metadata for %0", p.typed())
	}
	p.Pos++
	return p.Phrase(text, p.typed())
}

func (p *parser) partialApply() *tree.Node {
	text := "partial apply forwarder"
	if p.Accept('o') {
		text = "partial apply ObjC forwarder"
	}
	n := p.WithText(tree.PartialApply, text)
	if p.AcceptString("__T") {
		return tree.Add(n, p.deeper((*parser).global))
	}
	return n
}

func (p *parser) witness() *tree.Node {
	c := p.Next()
	if text := tree.At(&witnessPhrases, c); text != "" {
		return p.Phrase(text, p.conformance())
	}
	switch c {
	case 'V':
		return p.Phrase("value witness table for %0", p.typed())
	case 'v':
		switch p.Next() {
		case 'd':
			return p.Phrase("direct field offset for %0", p.entity())
		case 'i':
			return p.Phrase("indirect field offset for %0", p.entity())
		}
	case 'l':
		t := p.typed()
		return p.Phrase("lazy protocol witness table accessor for type %0 and conformance %1", t, p.conformance())
	case 'L':
		t := p.typed()
		return p.Phrase("lazy protocol witness table cache variable for type %0 and conformance %1", t, p.conformance())
	case 't':
		conformance := p.conformance()
		return p.Phrase("associated type metadata accessor for %1 in %0", conformance, p.declName())
	case 'T':
		conformance := p.conformance()
		name := p.declName()
		return p.Phrase("associated type witness table accessor for %1 : %2 in %0", conformance, name, p.protocolType())
	}
	return nil
}

func (p *parser) thunk() *tree.Node {
	switch p.Next() {
	case 'R':
		return p.reabstraction("reabstraction thunk helper ")
	case 'r':
		return p.reabstraction("reabstraction thunk ")
	case 'W':
		conformance := p.conformance()
		return p.Phrase("protocol witness for %1 in conformance %0", conformance, p.entity())
	}
	return nil
}

func (p *parser) reabstraction(text string) *tree.Node {
	n := p.WithText(tree.ReabstractionThunk, text)
	if p.Accept('G') {
		if n = tree.Add(n, p.signature()); n == nil {
			return nil
		}
	}
	n = tree.Add(n, p.typed())
	return tree.Add(n, p.typed())
}

// conformance reads a type, a protocol and a module.
func (p *parser) conformance() *tree.Node {
	t := p.typed()
	protocol := p.protocolType()
	return p.Node(tree.ProtocolConformance, t, protocol, p.context())
}

// Prefix begins the names of the mangling before Swift 4. In names of Swift 4, a 0
// follows it.
const Prefix = "_T"
