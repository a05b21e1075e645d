package swift

import "strconv"

// printer renders a tree. The simplified rendering has neither modules nor types.
type printer struct {
	out         []byte
	simple      bool
	specialized bool // the simplified rendering says so already
	nested      bool // it is a symbol in a symbol: Swift's tools print its types without sugar
	failed      bool // a part is missing, or a limit was reached
	depth       int
	steps       int
}

// result returns what was printed, false if that is not the whole tree.
func (p *printer) result() (string, bool) {
	if p.failed || len(p.out) == 0 {
		return "", false
	}
	return string(p.out), true
}

func (p *printer) write(s string) { p.out = append(p.out, s...) }

func (p *printer) writeInt(i int) { p.out = strconv.AppendInt(p.out, int64(i), 10) }

// enter counts a node, and reports whether it may still be printed.
func (p *printer) enter(n *node) bool {
	p.steps++
	if n == nil || p.depth >= maxDepth || p.steps > maxSteps || len(p.out) > maxOutput {
		p.failed = true
	}
	return !p.failed
}

// print prints a node with all that it is in.
func (p *printer) print(n *node) {
	if !p.enter(n) {
		return
	}
	p.depth++
	switch {
	case n.kind < endOfEntities:
		p.entity(n, false)
	case isFunctionType(n.kind):
		p.functionType(nil, n)
	case n.kind == kindPhrase || n.kind == kindSimpleType || n.kind == kindRequirement || n.kind == kindConformanceRef:
		p.template(n.text, n)
	case templates[n.kind] != "":
		p.template(templates[n.kind], n)
	default:
		p.special(n)
	}
	p.depth--
}

// printPrefix prints a node before a name in it, and returns what is rather to be
// printed after that: a function with its type is no prefix.
func (p *printer) printPrefix(n *node) (after *node) {
	if n == nil || n.kind >= endOfEntities {
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

// printIf prints a node if it is there.
func (p *printer) printIf(n *node) {
	if n != nil {
		p.print(n)
	}
}

// printList prints nodes with something between them.
func (p *printer) printList(list []*node, between string) {
	for i, n := range list {
		if i > 0 {
			p.write(between)
		}
		p.print(n)
	}
}

// template prints a text in which %0 to %9 stand for a child, %* for all children,
// %, and %. for all of them with that between, %t for the text of the node and %i for
// its index.
func (p *printer) template(text string, n *node) {
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
			p.write(n.text)
		case 'i':
			p.writeInt(n.index)
		case '*':
			p.printList(n.children, "")
		case ',':
			p.printList(n.children, ", ")
		case '.':
			p.printList(n.children, ".")
		default:
			p.print(n.child(int(c - '0')))
		}
	}
	p.write(text[start:])
}

// templates are how the kinds are printed that are always printed alike.
var templates = [256]string{
	kindStatic:             "static %0",
	kindOpaqueReturnTypeOf: "<<opaque return type of %*>>",
	kindBuiltinTupleType:   "%t",

	kindIdentifier:            "%t",
	kindRelatedEntityDeclName: "related decl '%t' for %0",
	kindOperator:              "%t",

	kindReturnType:        "%*",
	kindClangType:         "%t",
	kindSendingResult:     "sending ",
	kindGlobalActor:       "@%0 ",
	kindIsolatedAny:       "@isolated(any) ",
	kindNonIsolatedCaller: "nonisolated(nonsending) ",
	kindDifferentiable:    "%t",
	kindThrows:            " throws",
	kindTypedThrows:       " throws(%0)",
	kindSendable:          "@Sendable ",
	kindAsync:             " async",

	kindType:             "%0",
	kindTypeList:         "%*",
	kindTuple:            "(%,)",
	kindTupleElementName: "%t: ",
	kindBuiltinTypeName:  "%t",
	kindPackElement:      "/* level: %i */ each %0",
	kindInOut:            "inout %0",
	kindInteger:          "%i",
	kindOpaqueReturnType: "some",
	kindOpaqueType:       "%0.%1",

	kindAssociatedTypeRef:                  "%0.%1",
	kindDependentMemberType:                "%0.%1",
	kindAssociatedTypePath:                 "%.",
	kindConstrainedExistentialRequirements: "%,",

	kindImplAttribute:     "%t",
	kindImplSendingResult: "sending",

	kindPackConformance:        "pack protocol conformance %*",
	kindOpaqueConformance:      "opaque result conformance %0 of %1",
	kindRetroactiveConformance: "retroactive @ %0%1",

	kindAttribute:            "%t",
	kindSerialized:           "serialized",
	kindFunctionParamPayload: "",

	kindGlobal:        "%*",
	kindNumber:        "%i",
	kindUnknownIndex:  "unknown index",
	kindEmptyList:     " empty-list ",
	kindFirstElement:  " first-element-marker ",
	kindVariadic:      " variadic-marker ",
	kindMacroLocation: "module %0 file %1 line %2 column %3",
	kindAutoDiffKind:  "%t",
}

// special prints the kinds that are printed as the rest of the tree demands.
func (p *printer) special(n *node) {
	switch {
	case n.kind > kindType && n.kind <= kindOpaqueType:
		p.typeNode(n)
	case n.kind >= kindAssociatedTypeRef && n.kind <= kindConstrainedExistentialRequirements:
		p.genericNode(n)
	case n.kind >= kindImplFunctionType && n.kind <= kindRetroactiveConformance:
		p.implNode(n)
	case n.kind >= kindAttribute && n.kind <= kindFunctionParamPayload:
		p.attributeNode(n)
	case n.kind >= kindGlobal:
		p.otherNode(n)
	default:
		p.contextNode(n)
	}
}

// contextNode prints contexts and names.
func (p *printer) contextNode(n *node) {
	switch n.kind {
	case kindModule:
		if !p.simple {
			p.write(n.text)
		}
	case kindExtension:
		p.extension(n)
	case kindAnonymousContext:
		p.anonymousContext(n)
	case kindAutoDiffFunction:
		p.autoDiffFunction(n, "")
	case kindLocalDeclName:
		p.print(n.child(1))
		p.write(" #")
		p.writeInt(n.child(0).index + 1)
	case kindPrivateDeclName:
		p.privateName(n)
	case kindLabelList:
	case kindArgumentTuple:
		p.parameters(nil, n, !p.simple)
	default:
		p.failed = true
	}
}

func (p *printer) extension(n *node) {
	if !p.simple {
		p.write("(extension in ")
		p.print(n.child(0))
		p.write("):")
	}
	p.print(n.child(1))
	p.printIf(n.child(2))
}

func (p *printer) anonymousContext(n *node) {
	if p.simple {
		return
	}
	p.template("%1.(unknown context at %0)", n)
	if types := n.child(2); types != nil && len(types.children) > 0 {
		p.template("<%2>", n)
	}
}

// privateName prints a name that is private to a file; without one, only what tells
// the file.
func (p *printer) privateName(n *node) {
	file, name := n.child(0), n.child(1)
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
	p.write(file.text)
	p.write(")")
}
