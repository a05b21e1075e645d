package swift

import (
	"stacksnap/images/swift/internal/tree"
)

func (p *parser) functionType() *tree.Node { return p.popFunction(tree.FunctionType, nil) }

// popFunction pops the parts of a function type, in reverse order. clang is the
// function's C type; it may be nil.
func (p *parser) popFunction(k tree.Kind, clang *tree.Node) *tree.Node {
	n := p.Leaf(k)
	tree.AddIf(n, clang)
	tree.AddIf(n, p.pop(tree.SendingResult))
	tree.AddIf(n, p.popIf(tree.IsIsolation))
	tree.AddIf(n, p.pop(tree.Differentiable))
	tree.AddIf(n, p.popIf(tree.IsThrows))
	tree.AddIf(n, p.pop(tree.Sendable))
	tree.AddIf(n, p.pop(tree.Async))
	n = tree.Add(n, p.popParameters(tree.ArgumentTuple))
	n = tree.Add(n, p.popParameters(tree.ReturnType))
	return p.Typed(n)
}

func (p *parser) popParameters(k tree.Kind) *tree.Node {
	if p.pop(tree.EmptyList) != nil {
		return p.Node(k, p.Typed(p.Leaf(tree.Tuple)))
	}
	return p.Node(k, p.popType())
}

// popLabels pops the argument labels of a function of type t. It returns nil if the
// name has no labels, and an empty list if no argument has one.
func (p *parser) popLabels(t *tree.Node) *tree.Node {
	if !p.oldLabels && p.pop(tree.EmptyList) != nil {
		return p.Leaf(tree.LabelList)
	}
	parameters := parametersOf(t)
	if parameters == nil {
		return nil
	}
	if p.oldLabels {
		return p.labelsOfTypes(parameters)
	}
	n := 1
	if parameters.Kind == tree.Tuple {
		n = len(parameters.Children)
	}
	if n == 0 {
		return nil
	}
	return p.popLabelsOf(n)
}

// parametersOf returns the parameters of a function type, as a tuple or a single
// type. It returns nil if t is another type.
func parametersOf(t *tree.Node) *tree.Node {
	if !t.Is(tree.Type) {
		return nil
	}
	f := t.Child(0)
	if f.Is(tree.DependentGenericType) {
		f = f.Child(1).Child(0)
	}
	if !f.Is(tree.FunctionType) && !f.Is(tree.NoEscapeFunctionType) {
		return nil
	}
	return f.Find(tree.ArgumentTuple).Child(0).Child(0)
}

// popLabelsOf pops n labels; _ is the label of an argument without one.
func (p *parser) popLabelsOf(n int) *tree.Node {
	list := p.Leaf(tree.LabelList)
	labelled := false
	for range n {
		label := p.popAny()
		if !label.Is(tree.Identifier) && !label.Is(tree.FirstElement) || tree.Add(list, label) == nil {
			return nil
		}
		labelled = labelled || label.Kind == tree.Identifier
	}
	if !labelled {
		return p.Leaf(tree.LabelList)
	}
	list.Reverse(0)
	return list
}

// labelsOfTypes moves labels from the parameter types, where Swift 4 has them, to a
// list.
func (p *parser) labelsOfTypes(parameters *tree.Node) *tree.Node {
	list := p.Leaf(tree.LabelList)
	if parameters.Kind != tree.Tuple {
		return list
	}
	if len(parameters.Children) == 0 {
		return nil
	}
	labelled := false
	for _, element := range parameters.Children {
		label := p.Leaf(tree.FirstElement)
		for i, c := range element.Children {
			if c.Kind == tree.TupleElementName {
				label = p.WithText(tree.Identifier, c.Text)
				element.Children = append(element.Children[:i:i], element.Children[i+1:]...)
				labelled = true
				break
			}
		}
		if tree.Add(list, label) == nil {
			return nil
		}
	}
	if !labelled {
		return p.Leaf(tree.LabelList)
	}
	return list
}
