package render

import (
	"stacksnap/images/swift/internal/tree"
)

// attributeNode prints what precedes an entity.
func (p *printer) attributeNode(n *tree.Node) {
	switch n.Kind {
	case tree.ThunkAttribute:
		if !p.simple {
			p.write(n.Text)
		}
	case tree.ResumeFunction:
		if !p.simple {
			p.template("(%i%t", n)
		}
	case tree.PartialApply:
		p.partialApply(n)
	case tree.Specialization:
		p.specialization(n, "")
	case tree.PartialSpecialization:
		p.specialization(n, "Signature = ")
	case tree.SpecializationParam:
		p.specializationParam(n)
	case tree.FunctionParamKind:
		p.write(paramText(n.Index))
	case tree.FunctionParamPayload:
		p.symbolOrText(n.Text)
	case tree.AsyncRemoved, tree.RepresentationChanged, tree.SpecializationPass, tree.DroppedArgument:
	default:
		p.failed = true
	}
}

func (p *printer) partialApply(n *tree.Node) {
	if p.simple {
		p.write("partial apply")
	} else {
		p.write(n.Text)
	}
	if len(n.Children) > 0 {
		p.template(" for %*", n)
	}
}

// specialization prints how a function was specialized; in the simplified rendering,
// only that it was.
func (p *printer) specialization(n *tree.Node, before string) {
	if p.simple {
		if !p.specialized {
			p.write("specialized ")
			p.specialized = true
		}
		return
	}
	if n.Child(0).Is(tree.RepresentationChanged) {
		p.write("representation changed of ")
		return
	}
	p.write(n.Text)
	p.write(" <")
	separator := ""
	argument := 0
	for _, c := range n.Children {
		switch {
		case c.Kind == tree.SpecializationPass || c.Kind == tree.DroppedArgument:
			continue
		case c.Kind == tree.Serialized:
			p.write(separator)
			separator = ", "
			p.print(c)
			continue
		case len(c.Children) > 0:
			p.write(separator)
			separator = ", "
			p.write(before)
			p.specializedArgument(c, argument)
		}
		argument++
	}
	p.write("> of ")
}

func (p *printer) specializedArgument(n *tree.Node, argument int) {
	switch n.Kind {
	case tree.FunctionParam:
		p.write("Arg[")
		p.writeInt(argument)
		p.write("] = ")
		p.functionParam(n)
	case tree.FunctionResult:
		p.write("Return = ")
		p.functionParam(n)
	default:
		p.print(n)
	}
}

func (p *printer) specializationParam(n *tree.Node) {
	p.print(n.Child(0))
	for i := 1; i < len(n.Children); i++ {
		if i == 1 {
			p.write(" with ")
		} else {
			p.write(" and ")
		}
		p.print(n.Child(i))
	}
}

// functionParam prints the changes of a parameter. Identifiers and types that belong
// to the changes come after all changes, in the same order.
func (p *printer) functionParam(n *tree.Node) {
	needed := 0
	for i := 0; i < len(n.Children); {
		c := n.Children[i]
		if c.Kind != tree.FunctionParamKind || i+1 == len(n.Children) && needsMore(c.Index) {
			return
		}
		switch c.Index {
		case tree.ParamFunction, tree.ParamGlobal, tree.ParamStruct, tree.ParamKeyPath:
			p.write("[")
			p.print(c)
			p.write(" : ")
			needed = p.neededBy(n, c.Index, needed)
			p.write("]")
			i++
		case tree.ParamInteger, tree.ParamFloat:
			p.payload(n, i, "[%0 : %1]")
			i += 2
		case tree.ParamString:
			p.payload(n, i, "[%0 : %1'")
			needed = p.neededBy(n, c.Index, needed)
			p.write("']")
			i += 2
		case tree.ParamSameClosure:
			p.payload(n, i, "[%0 %1]")
			i += 2
		case tree.ParamClosure:
			i = p.closureParam(n, i)
		default:
			p.print(c)
			i++
		}
	}
}

// needsMore reports whether a change has a further node.
func needsMore(what int) bool {
	switch what {
	case tree.ParamBoxToValue, tree.ParamBoxToStack, tree.ParamInOutToOut:
		return false
	}
	return what < len(paramTexts)
}

// payload prints the child at i and the one after it by a template.
func (p *printer) payload(n *tree.Node, i int, template string) {
	p.template(template, &tree.Node{Children: n.Children[i:]})
}

// closureParam prints a closure with the types that it captures, and returns the
// index of the next change.
func (p *printer) closureParam(n *tree.Node, i int) int {
	p.write("[")
	p.print(n.Child(i))
	p.write(" : ")
	p.print(n.Child(i + 1))
	p.write(", Argument Types : [")
	for i += 2; n.Child(i).Is(tree.Type); i++ {
		p.print(n.Child(i))
		if next := n.Child(i + 1); next != nil && next.Text != "" {
			p.write(", ")
		}
	}
	p.write("]")
	return i
}

// neededBy prints the children that belong to a change, from the child at next on,
// and returns the index of the child after them.
func (p *printer) neededBy(n *tree.Node, what, next int) int {
	if what != tree.ParamKeyPath {
		return p.needed(n, what, next)
	}
	next = p.needed(n, what, next)
	p.write("<")
	next = p.needed(n, what, next)
	p.write(",")
	next = p.needed(n, what, next)
	p.write(">")
	return next
}

func (p *printer) needed(n *tree.Node, what, next int) int {
	for ; next < len(n.Children); next++ {
		c := n.Children[next]
		if c.Kind == tree.FunctionParamKind || c.Kind == tree.FunctionParamPayload {
			continue
		}
		switch {
		case what == tree.ParamFunction || what == tree.ParamGlobal:
			p.symbolOrText(c.Text)
		case what == tree.ParamString && c.Text != "" && c.Text[0] == '_':
			p.write(c.Text[1:]) // the _ separates a digit from the length
		default:
			p.print(c)
		}
		return next + 1
	}
	return next
}

// symbolOrText prints a text, demangled if it is a mangled name.
func (p *printer) symbolOrText(text string) {
	p.steps += len(text)
	root := (*tree.Node)(nil)
	if p.steps <= maxSteps {
		root = p.parse(text)
	}
	if root == nil {
		p.write(text)
		return
	}
	nested := p.nested
	p.nested = true
	p.print(root)
	p.nested = nested
}

// paramFlagTexts describe the changes that can be combined.
var paramFlagTexts = [...]struct {
	flag int
	text string
}{
	{tree.ParamExistentialToGeneric, "Existential To Protocol Constrained Generic"},
	{tree.ParamDead, "Dead"},
	{tree.ParamOwnedToGuaranteed, "Owned To Guaranteed"},
	{tree.ParamGuaranteedToOwned, "Guaranteed To Owned"},
	{tree.ParamExploded, "Exploded"},
}

// paramTexts describe the changes that cannot be combined.
var paramTexts = [...]string{
	tree.ParamFunction:    "Constant Propagated Function",
	tree.ParamGlobal:      "Constant Propagated Global",
	tree.ParamInteger:     "Constant Propagated Integer",
	tree.ParamFloat:       "Constant Propagated Float",
	tree.ParamString:      "Constant Propagated String",
	tree.ParamClosure:     "Closure Propagated",
	tree.ParamBoxToValue:  "Value Promoted from Box",
	tree.ParamBoxToStack:  "Stack Promoted from Box",
	tree.ParamInOutToOut:  "InOut Converted to Out",
	tree.ParamKeyPath:     "Constant Propagated KeyPath",
	tree.ParamStruct:      "Constant Propagated Struct",
	tree.ParamSameClosure: "Same As Argument",
}

// paramText returns the description of a change.
func paramText(what int) string {
	if what < len(paramTexts) {
		return paramTexts[what]
	}
	text := ""
	for _, f := range paramFlagTexts {
		if what&f.flag == 0 {
			continue
		}
		if text != "" {
			text += " and "
		}
		text += f.text
	}
	return text
}
