// Package render prints the tree of a mangled name, in full or simplified.
package render

import (
	"strconv"

	"stacksnap/images/swift/internal/tree"
)

// printer renders a tree. The simplified rendering omits modules and types.
type printer struct {
	out         []byte
	simple      bool
	parse       func(string) *tree.Node // returns the tree of a mangled name, nil if the name is invalid
	specialized bool                    // the simplified rendering has the word "specialized" already
	nested      bool                    // inside a symbol that is part of another: Swift's tools print types there without sugar
	failed      bool                    // a part is missing, or a limit was reached
	depth       int
	steps       int
}

// Limits for one rendering.
const (
	maxSteps    = 1 << 16 // nodes printed, including repetitions
	usualOutput = 128     // bytes of most renderings
)

// Tree prints a tree, simplified or in full. It reports false if a part of the tree
// is missing or a limit was reached. parse demangles the symbols in the tree.
func Tree(root *tree.Node, simple bool, parse func(string) *tree.Node) (string, bool) {
	p := printer{simple: simple, parse: parse, out: make([]byte, 0, usualOutput)}
	p.print(root)
	return p.result()
}

// result returns the rendering. It reports false if the rendering is incomplete.
func (p *printer) result() (string, bool) {
	if p.failed || len(p.out) == 0 {
		return "", false
	}
	return string(p.out), true
}

// write prints a text. It is not inlined: copies of it took 30 kB of the program.
//
//go:noinline
func (p *printer) write(s string) { p.out = append(p.out, s...) }

func (p *printer) writeInt(i int) { p.out = strconv.AppendInt(p.out, int64(i), 10) }

// enter counts a node, and reports whether it may be printed.
func (p *printer) enter(n *tree.Node) bool {
	p.steps++
	if n == nil || p.depth >= tree.MaxDepth || p.steps > maxSteps || len(p.out) > tree.MaxOutput {
		p.failed = true
	}
	return !p.failed
}

// print prints a node and its children.
func (p *printer) print(n *tree.Node) {
	if !p.enter(n) {
		return
	}
	p.depth++
	switch {
	case n.Kind < tree.EndOfEntities:
		p.entity(n, false)
	case tree.IsFunctionType(n.Kind):
		p.functionType(nil, n)
	case n.Kind == tree.Phrase || n.Kind == tree.SimpleType || n.Kind == tree.Requirement || n.Kind == tree.ConformanceRef:
		p.template(n.Text, n)
	case templates[n.Kind] != "":
		p.template(templates[n.Kind], n)
	default:
		p.special(n)
	}
	p.depth--
}

// printPrefix prints a node as the context of an entity. It returns the part that
// goes after the entity's name, such as the type of a function, nil if there is none.
func (p *printer) printPrefix(n *tree.Node) (after *tree.Node) {
	if n == nil || n.Kind >= tree.EndOfEntities {
		p.print(n)
		return nil
	}
	if !p.enter(n) {
		return nil
	}
	p.depth++
	after = p.entity(n, true)
	p.depth--
	return after
}

// printIf prints a node unless it is nil.
func (p *printer) printIf(n *tree.Node) {
	if n != nil {
		p.print(n)
	}
}

// printList prints nodes with a separator between them.
func (p *printer) printList(list []*tree.Node, between string) {
	for i, n := range list {
		if i > 0 {
			p.write(between)
		}
		p.print(n)
	}
}

// template prints a text. In it, %0 to %9 are replaced by a child, %* by all
// children, %, and %. by all children with commas or dots between them, %t by the
// node's text, and %i by its index.
func (p *printer) template(text string, n *tree.Node) {
	start := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		p.write(text[start:i])
		i++
		start = i + 1
		switch c := text[i]; c {
		case 't':
			p.write(n.Text)
		case 'i':
			p.writeInt(n.Index)
		case '*':
			p.printList(n.Children, "")
		case ',':
			p.printList(n.Children, ", ")
		case '.':
			p.printList(n.Children, ".")
		default:
			p.print(n.Child(int(c - '0')))
		}
	}
	p.write(text[start:])
}

// templates are the templates of the kinds that are always printed in the same way.
var templates = [256]string{
	tree.Static:             "static %0",
	tree.OpaqueReturnTypeOf: "<<opaque return type of %*>>",
	tree.BuiltinTupleType:   "%t",

	tree.Identifier:            "%t",
	tree.RelatedEntityDeclName: "related decl '%t' for %0",
	tree.Operator:              "%t",

	tree.ReturnType:        "%*",
	tree.ClangType:         "%t",
	tree.SendingResult:     "sending ",
	tree.GlobalActor:       "@%0 ",
	tree.IsolatedAny:       "@isolated(any) ",
	tree.NonIsolatedCaller: "nonisolated(nonsending) ",
	tree.Differentiable:    "%t",
	tree.Throws:            " throws",
	tree.TypedThrows:       " throws(%0)",
	tree.Sendable:          "@Sendable ",
	tree.Async:             " async",

	tree.Type:             "%0",
	tree.TypeList:         "%*",
	tree.Tuple:            "(%,)",
	tree.TupleElementName: "%t: ",
	tree.BuiltinTypeName:  "%t",
	tree.PackElement:      "/* level: %i */ each %0",
	tree.InOut:            "inout %0",
	tree.Integer:          "%i",
	tree.OpaqueReturnType: "some",
	tree.OpaqueType:       "%0.%1",

	tree.AssociatedTypeRef:                  "%0.%1",
	tree.DependentMemberType:                "%0.%1",
	tree.AssociatedTypePath:                 "%.",
	tree.ConstrainedExistentialRequirements: "%,",

	tree.ImplAttribute:     "%t",
	tree.ImplSendingResult: "sending",

	tree.PackConformance:        "pack protocol conformance %*",
	tree.OpaqueConformance:      "opaque result conformance %0 of %1",
	tree.RetroactiveConformance: "retroactive @ %0%1",

	tree.Attribute:            "%t",
	tree.Serialized:           "serialized",
	tree.FunctionParamPayload: "",

	tree.Global:        "%*",
	tree.Number:        "%i",
	tree.UnknownIndex:  "unknown index",
	tree.EmptyList:     " empty-list ",
	tree.FirstElement:  " first-element-marker ",
	tree.Variadic:      " variadic-marker ",
	tree.MacroLocation: "module %0 file %1 line %2 column %3",
	tree.AutoDiffKind:  "%t",
}

// special prints the kinds whose printing depends on the rest of the tree.
func (p *printer) special(n *tree.Node) {
	switch {
	case n.Kind > tree.Type && n.Kind <= tree.OpaqueType:
		p.typeNode(n)
	case n.Kind >= tree.AssociatedTypeRef && n.Kind <= tree.ConstrainedExistentialRequirements:
		p.genericNode(n)
	case n.Kind >= tree.ImplFunctionType && n.Kind <= tree.RetroactiveConformance:
		p.implNode(n)
	case n.Kind >= tree.Attribute && n.Kind <= tree.FunctionParamPayload:
		p.attributeNode(n)
	case n.Kind >= tree.Global:
		p.otherNode(n)
	default:
		p.contextNode(n)
	}
}

// contextNode prints contexts and names.
func (p *printer) contextNode(n *tree.Node) {
	switch n.Kind {
	case tree.Module:
		if !p.simple {
			p.write(n.Text)
		}
	case tree.Extension:
		p.extension(n)
	case tree.AnonymousContext:
		p.anonymousContext(n)
	case tree.AutoDiffFunction:
		p.autoDiffFunction(n, "")
	case tree.LocalDeclName:
		p.print(n.Child(1))
		p.write(" #")
		p.writeInt(n.Child(0).Index + 1)
	case tree.PrivateDeclName:
		p.privateName(n)
	case tree.LabelList:
	case tree.ArgumentTuple:
		p.parameters(nil, n, !p.simple)
	default:
		p.failed = true
	}
}

func (p *printer) extension(n *tree.Node) {
	if !p.simple {
		p.write("(extension in ")
		p.print(n.Child(0))
		p.write("):")
	}
	p.print(n.Child(1))
	p.printIf(n.Child(2))
}

func (p *printer) anonymousContext(n *tree.Node) {
	if p.simple {
		return
	}
	p.template("%1.(unknown context at %0)", n)
	if types := n.Child(2); types != nil && len(types.Children) > 0 {
		p.template("<%2>", n)
	}
}

// privateName prints a name that is private to a file, or only the file if there is
// no name.
func (p *printer) privateName(n *tree.Node) {
	file, name := n.Child(0), n.Child(1)
	if p.simple {
		p.printIf(name)
		return
	}
	p.write("(")
	if name != nil {
		p.print(name)
		p.write(" ")
	}
	p.write("in ")
	p.write(file.Text)
	p.write(")")
}
