package render

import (
	"strconv"

	"stacksnap/images/swift/internal/tree"
)

// otherNode prints the nodes that are neither entities nor types.
func (p *printer) otherNode(n *tree.Node) {
	switch n.Kind {
	case tree.Suffix:
		if !p.simple {
			p.write(" with unmangled suffix ")
			p.out = appendQuoted(p.out, n.Text)
		}
	case tree.Text:
		p.write(n.Text)
	case tree.TypeMangling:
		p.typeMangling(n)
	case tree.ValueWitness:
		p.valueWitness(n)
	case tree.ReabstractionThunk:
		p.reabstraction(n)
	case tree.ReabstractionThunkWithSelf:
		p.reabstractionWithSelf(n)
	case tree.KeyPathThunk:
		p.keyPathThunk(n)
	case tree.KeyPathIndexThunk:
		p.keyPathIndexThunk(n)
	case tree.DeclList:
		if len(n.Children) == 1 {
			p.print(n.Child(0))
		} else {
			p.template("(%,)", n)
		}
	case tree.CompletionHandler:
		p.completionHandler(n)
	case tree.AutoDiffThunk:
		p.autoDiffFunction(n, "vtable thunk for ")
	case tree.AutoDiffSubsetThunk:
		p.subsetThunk(n)
	case tree.AutoDiffReorderingThunk:
		p.reorderingThunk(n)
	case tree.DifferentiabilityWitness:
		p.differentiabilityWitness(n)
	case tree.IndexSubset:
		p.indexSubset(n.Text)
	default:
		p.failed = true
	}
}

const hexDigits = "0123456789ABCDEF"

// appendQuoted appends a text in quotes, and escapes the characters that are not
// printable ASCII.
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

func (p *printer) typeMangling(n *tree.Node) {
	if labels := n.Child(0); labels.Is(tree.LabelList) && n.Child(1) != nil {
		p.functionType(labels, n.Child(1).Child(0))
		return
	}
	p.print(n.Child(0))
}

func (p *printer) valueWitness(n *tree.Node) {
	p.write(n.Text)
	if !p.simple {
		p.write(" value witness")
	}
	p.template(" for %0", n)
}

// reabstraction prints the types that a thunk converts between. A signature may
// precede them.
func (p *printer) reabstraction(n *tree.Node) {
	if p.simple {
		p.write("thunk for ")
		p.print(n.Last())
		return
	}
	p.write(n.Text)
	types := p.leadingSignature(n)
	p.template("from %1 to %0", &tree.Node{Children: types})
}

func (p *printer) reabstractionWithSelf(n *tree.Node) {
	p.write(n.Text)
	types := p.leadingSignature(n)
	p.template("from %2 to %1 self %0", &tree.Node{Children: types})
}

// leadingSignature prints a signature if it is the first child, and returns the other
// children.
func (p *printer) leadingSignature(n *tree.Node) []*tree.Node {
	if !n.Child(0).Is(tree.GenericSignature) {
		return n.Children
	}
	p.template("%0 ", n)
	return n.Children[1:]
}

func (p *printer) keyPathThunk(n *tree.Node) {
	p.write(n.Text)
	p.template("%0 : ", n)
	for _, c := range n.Children[1:] {
		if c.Kind == tree.Serialized {
			p.write(", ")
		}
		p.print(c)
	}
}

func (p *printer) keyPathIndexThunk(n *tree.Node) {
	p.write(n.Text)
	types := n.Children
	if n.Child(0).Is(tree.GenericSignature) {
		p.print(n.Child(0))
		types = types[1:]
	}
	if len(types) > 0 && types[len(types)-1].Kind == tree.Serialized {
		types = types[:len(types)-1]
	}
	p.write("(")
	p.printList(types, ", ")
	p.write(")")
}

// errorFlags describe the error flag of a completion handler.
var errorFlags = [...]string{"", " nonzero on error", " zero on error"}

func (p *printer) completionHandler(n *tree.Node) {
	p.write(n.Text)
	p.write("@objc completion handler block implementation for ")
	p.printIf(n.Child(3))
	p.template("%0 with result type %1", n)
	if flag := n.Child(2).Index; flag < len(errorFlags) {
		p.write(errorFlags[flag])
	} else {
		p.write(" <invalid error flag>")
	}
}

// split splits the children before the first one of kind k.
func split(n *tree.Node, k tree.Kind) (before, from []*tree.Node) {
	for i, c := range n.Children {
		if c.Kind == k {
			return n.Children[:i], n.Children[i:]
		}
	}
	return n.Children, nil
}

// autoDiffFunction prints a function made by differentiation.
func (p *printer) autoDiffFunction(n *tree.Node, before string) {
	function, rest := split(n, tree.AutoDiffKind)
	if len(rest) != 3 {
		p.failed = true
		return
	}
	var signature *tree.Node
	if last := len(function) - 1; last >= 0 && function[last].Kind == tree.GenericSignature {
		function, signature = function[:last], function[last]
	}
	p.derived(derivation{before, " of ", " with respect to parameters %1 and results %2", " with "}, function, rest, signature)
}

// derivation has the words for a function made by differentiation.
type derivation struct {
	before, of string // words before the kind, and before the original function
	subsets    string // template of the subsets of parameters and results
	with       string // words before the last node
}

// derived prints a function made by differentiation. The first node of rest is its
// kind. last may be nil.
func (p *printer) derived(d derivation, function, rest []*tree.Node, last *tree.Node) {
	p.write(d.before)
	p.print(rest[0])
	p.write(d.of)
	p.printList(function, "")
	if p.simple {
		return
	}
	p.template(d.subsets, &tree.Node{Children: rest})
	if last != nil {
		p.write(d.with)
		p.print(last)
	}
}

func (p *printer) subsetThunk(n *tree.Node) {
	from, rest := split(n, tree.AutoDiffKind)
	if len(rest) != 4 || len(from) == 0 {
		p.failed = true
		return
	}
	var to *tree.Node
	if last := len(from) - 1; last > 0 {
		from, to = from[:last], from[last]
	}
	p.derived(derivation{"autodiff subset parameters thunk for ", " from ",
		" with respect to parameters %1 and results %2 to parameters %3", " of type "}, from, rest, to)
}

func (p *printer) reorderingThunk(n *tree.Node) {
	p.write("autodiff self-reordering reabstraction thunk for ")
	if p.simple {
		p.print(n.Child(0))
		return
	}
	p.print(n.Find(tree.AutoDiffKind))
	if signature := n.Find(tree.GenericSignature); signature != nil {
		p.print(signature)
		p.write(" ")
	}
	p.template(" from %0 to %1", n)
}

func (p *printer) differentiabilityWitness(n *tree.Node) {
	function, rest := split(n, tree.IndexSubset)
	p.write(n.Text)
	p.write(" differentiability witness for ")
	p.printList(function, "")
	p.template(" with respect to parameters %0 and results %1", &tree.Node{Children: rest})
	if len(rest) > 2 {
		p.write(" with ")
		p.print(rest[2])
	}
}

// indexSubset prints the indices in a set.
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
