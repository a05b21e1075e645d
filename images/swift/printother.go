package swift

import "strconv"

// otherNode prints what is neither an entity nor a type.
func (p *printer) otherNode(n *node) {
	switch n.kind {
	case kindSuffix:
		if !p.simple {
			p.write(" with unmangled suffix ")
			p.out = appendQuoted(p.out, n.text)
		}
	case kindText:
		p.write(n.text)
	case kindTypeMangling:
		p.typeMangling(n)
	case kindValueWitness:
		p.valueWitness(n)
	case kindReabstractionThunk:
		p.reabstraction(n)
	case kindReabstractionThunkWithSelf:
		p.reabstractionWithSelf(n)
	case kindKeyPathThunk:
		p.keyPathThunk(n)
	case kindKeyPathIndexThunk:
		p.keyPathIndexThunk(n)
	case kindDeclList:
		if len(n.children) == 1 {
			p.print(n.child(0))
		} else {
			p.template("(%,)", n)
		}
	case kindCompletionHandler:
		p.completionHandler(n)
	case kindAutoDiffThunk:
		p.autoDiffFunction(n, "vtable thunk for ")
	case kindAutoDiffSubsetThunk:
		p.subsetThunk(n)
	case kindAutoDiffReorderingThunk:
		p.reorderingThunk(n)
	case kindDifferentiabilityWitness:
		p.differentiabilityWitness(n)
	case kindIndexSubset:
		p.indexSubset(n.text)
	default:
		p.failed = true
	}
}

const hexDigits = "0123456789ABCDEF"

// appendQuoted appends a text in quotes, with escapes for what is not printable.
func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\t':
			out = append(out, `\t`...)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == 0:
			out = append(out, `\0`...)
		case c < ' ' || c > '~':
			out = append(out, '\\', 'x', hexDigits[c>>4], hexDigits[c&0xF])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

func (p *printer) typeMangling(n *node) {
	if labels := n.child(0); labels.is(kindLabelList) && n.child(1) != nil {
		p.functionType(labels, n.child(1).child(0))
		return
	}
	p.print(n.child(0))
}

func (p *printer) valueWitness(n *node) {
	p.write(n.text)
	if !p.simple {
		p.write(" value witness")
	}
	p.template(" for %0", n)
}

// reabstraction prints between which types a thunk is; a signature may come first.
func (p *printer) reabstraction(n *node) {
	if p.simple {
		p.write("thunk for ")
		p.print(n.last())
		return
	}
	p.write(n.text)
	types := p.leadingSignature(n)
	p.template("from %1 to %0", &node{children: types})
}

func (p *printer) reabstractionWithSelf(n *node) {
	p.write(n.text)
	types := p.leadingSignature(n)
	p.template("from %2 to %1 self %0", &node{children: types})
}

// leadingSignature prints a signature that comes first, and returns what follows.
func (p *printer) leadingSignature(n *node) []*node {
	if !n.child(0).is(kindGenericSignature) {
		return n.children
	}
	p.template("%0 ", n)
	return n.children[1:]
}

func (p *printer) keyPathThunk(n *node) {
	p.write(n.text)
	p.template("%0 : ", n)
	for _, c := range n.children[1:] {
		if c.kind == kindSerialized {
			p.write(", ")
		}
		p.print(c)
	}
}

func (p *printer) keyPathIndexThunk(n *node) {
	p.write(n.text)
	types := n.children
	if n.child(0).is(kindGenericSignature) {
		p.print(n.child(0))
		types = types[1:]
	}
	if len(types) > 0 && types[len(types)-1].kind == kindSerialized {
		types = types[:len(types)-1]
	}
	p.write("(")
	p.printList(types, ", ")
	p.write(")")
}

// errorFlags say how a completion handler is told of an error.
var errorFlags = [...]string{"", " nonzero on error", " zero on error"}

func (p *printer) completionHandler(n *node) {
	p.write(n.text)
	p.write("@objc completion handler block implementation for ")
	p.printIf(n.child(3))
	p.template("%0 with result type %1", n)
	if flag := n.child(2).index; flag < len(errorFlags) {
		p.write(errorFlags[flag])
	} else {
		p.write(" <invalid error flag>")
	}
}

// split returns the children up to one of a kind, and those from it on.
func split(n *node, k kind) (before, from []*node) {
	for i, c := range n.children {
		if c.kind == k {
			return n.children[:i], n.children[i:]
		}
	}
	return n.children, nil
}

// autoDiffFunction prints what differentiation made of a function.
func (p *printer) autoDiffFunction(n *node, before string) {
	function, rest := split(n, kindAutoDiffKind)
	if len(rest) != 3 {
		p.failed = true
		return
	}
	var signature *node
	if last := len(function) - 1; last >= 0 && function[last].kind == kindGenericSignature {
		function, signature = function[:last], function[last]
	}
	p.write(before)
	p.print(rest[0])
	p.write(" of ")
	p.printList(function, "")
	if p.simple {
		return
	}
	p.template(" with respect to parameters %1 and results %2", &node{children: rest})
	if signature != nil {
		p.write(" with ")
		p.print(signature)
	}
}

func (p *printer) subsetThunk(n *node) {
	from, rest := split(n, kindAutoDiffKind)
	if len(rest) != 4 || len(from) == 0 {
		p.failed = true
		return
	}
	var to *node
	if last := len(from) - 1; last > 0 {
		from, to = from[:last], from[last]
	}
	p.write("autodiff subset parameters thunk for ")
	p.print(rest[0])
	p.write(" from ")
	p.printList(from, "")
	if p.simple {
		return
	}
	p.template(" with respect to parameters %1 and results %2 to parameters %3", &node{children: rest})
	if to != nil {
		p.write(" of type ")
		p.print(to)
	}
}

func (p *printer) reorderingThunk(n *node) {
	p.write("autodiff self-reordering reabstraction thunk for ")
	if p.simple {
		p.print(n.child(0))
		return
	}
	p.print(n.find(kindAutoDiffKind))
	if signature := n.find(kindGenericSignature); signature != nil {
		p.print(signature)
		p.write(" ")
	}
	p.template(" from %0 to %1", n)
}

func (p *printer) differentiabilityWitness(n *node) {
	function, rest := split(n, kindIndexSubset)
	p.write(n.text)
	p.write(" differentiability witness for ")
	p.printList(function, "")
	p.template(" with respect to parameters %0 and results %1", &node{children: rest})
	if len(rest) > 2 {
		p.write(" with ")
		p.print(rest[2])
	}
}

// indexSubset prints the indices that are in a set.
func (p *printer) indexSubset(set string) {
	p.write("{")
	separator := ""
	for i := range len(set) {
		if set[i] != 'S' {
			continue
		}
		p.write(separator)
		p.write(strconv.Itoa(i))
		separator = ", "
	}
	p.write("}")
}
