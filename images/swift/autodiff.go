package swift

import (
	"stacksnap/images/swift/internal/tree"
)

// differentiabilityKinds are how a function can be differentiated.
var differentiabilityKinds = [128]string{
	'f': "forward-mode", 'r': "reverse-mode", 'd': "normal", 'l': "linear",
}

// differentiability reads the attribute that says how a function type can be
// differentiated.
func (p *parser) differentiability(k tree.Kind) *tree.Node {
	text := tree.At(&tree.DifferentiableAttributes, p.Next())
	if text == "" {
		return nil
	}
	return p.WithText(k, text)
}

// autoDiffKinds are the functions that differentiation derives from another.
var autoDiffKinds = [128]string{
	'f': "forward-mode derivative", 'r': "reverse-mode derivative", 'd': "differential", 'p': "pullback",
}

func (p *parser) autoDiffKind() *tree.Node {
	text := tree.At(&autoDiffKinds, p.Next())
	if text == "" {
		return nil
	}
	return p.WithText(tree.AutoDiffKind, text)
}

// autoDiffThunk reads a function or thunk made by differentiation, by the byte after
// TJ.
func (p *parser) autoDiffThunk() *tree.Node {
	switch {
	case p.Accept('S'):
		return p.subsetThunk()
	case p.Accept('O'):
		return p.reorderingThunk()
	case p.Accept('V'):
		return p.autoDiffFunction(tree.AutoDiffThunk)
	}
	return p.autoDiffFunction(tree.AutoDiffFunction)
}

// popAll pops the whole stack and adds it to n, because everything before the
// operator is what is differentiated.
func (p *parser) popAll(n *tree.Node) *tree.Node {
	for _, c := range p.stack {
		tree.AddIf(n, c)
	}
	p.stack = p.stack[:0]
	return n
}

func (p *parser) autoDiffFunction(k tree.Kind) *tree.Node {
	n := tree.Add(p.popAll(p.Leaf(k)), p.autoDiffKind())
	return p.withSubsets(n, "pr")
}

func (p *parser) subsetThunk() *tree.Node {
	n := tree.Add(p.popAll(p.Leaf(tree.AutoDiffSubsetThunk)), p.autoDiffKind())
	return p.withSubsets(n, "prP")
}

// withSubsets reads subsets of the parameters and results. Each subset is followed by
// the next of the letters.
func (p *parser) withSubsets(n *tree.Node, letters string) *tree.Node {
	for i := range len(letters) {
		if n = tree.Add(n, p.indexSubset()); n == nil || !p.Accept(letters[i]) {
			return nil
		}
	}
	return n
}

// indexSubset reads a set of indices: S for an index in the set, U for one that is
// not.
func (p *parser) indexSubset() *tree.Node {
	start := p.Pos
	for p.Peek() == 'S' || p.Peek() == 'U' {
		p.Pos++
	}
	if p.Pos == start {
		return nil
	}
	return p.WithText(tree.IndexSubset, p.Name[start:p.Pos])
}

func (p *parser) reorderingThunk() *tree.Node {
	signature := p.pop(tree.GenericSignature)
	to := p.popType()
	n := p.Node(tree.AutoDiffReorderingThunk, p.popType(), to)
	tree.AddIf(n, signature)
	return tree.Add(n, p.autoDiffKind())
}

func (p *parser) differentiabilityWitness() *tree.Node {
	signature := p.pop(tree.GenericSignature)
	n := p.popAll(p.Leaf(tree.DifferentiabilityWitness))
	text := tree.At(&differentiabilityKinds, p.Next())
	if n == nil || text == "" {
		return nil
	}
	n.Text = text
	n = p.withSubsets(n, "pr")
	tree.AddIf(n, signature)
	return n
}
