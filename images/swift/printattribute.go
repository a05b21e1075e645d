package swift

// attributeNode prints what is put before an entity.
func (p *printer) attributeNode(n *node) {
	switch n.kind {
	case kindThunkAttribute:
		if !p.simple {
			p.write(n.text)
		}
	case kindResumeFunction:
		if !p.simple {
			p.template("(%i%t", n)
		}
	case kindPartialApply:
		p.partialApply(n)
	case kindSpecialization:
		p.specialization(n, "")
	case kindPartialSpecialization:
		p.specialization(n, "Signature = ")
	case kindSpecializationParam:
		p.specializationParam(n)
	case kindFunctionParamKind:
		p.write(paramText(n.index))
	case kindFunctionParamPayload:
		p.symbolOrText(n.text)
	case kindAsyncRemoved, kindRepresentationChanged, kindSpecializationPass, kindDroppedArgument:
	default:
		p.failed = true
	}
}

func (p *printer) partialApply(n *node) {
	if p.simple {
		p.write("partial apply")
	} else {
		p.write(n.text)
	}
	if len(n.children) > 0 {
		p.template(" for %*", n)
	}
}

// specialization prints for what a function was specialized; simplified, only that
// it was.
func (p *printer) specialization(n *node, before string) {
	if p.simple {
		if !p.specialized {
			p.write("specialized ")
			p.specialized = true
		}
		return
	}
	if n.child(0).is(kindRepresentationChanged) {
		p.write("representation changed of ")
		return
	}
	p.write(n.text)
	p.write(" <")
	separator := ""
	argument := 0
	for _, c := range n.children {
		switch {
		case c.kind == kindSpecializationPass || c.kind == kindDroppedArgument:
			continue
		case c.kind == kindSerialized:
			p.write(separator)
			separator = ", "
			p.print(c)
			continue
		case len(c.children) > 0:
			p.write(separator)
			separator = ", "
			p.write(before)
			p.specializedArgument(c, argument)
		}
		argument++
	}
	p.write("> of ")
}

func (p *printer) specializedArgument(n *node, argument int) {
	switch n.kind {
	case kindFunctionParam:
		p.write("Arg[")
		p.writeInt(argument)
		p.write("] = ")
		p.functionParam(n)
	case kindFunctionResult:
		p.write("Return = ")
		p.functionParam(n)
	default:
		p.print(n)
	}
}

func (p *printer) specializationParam(n *node) {
	p.print(n.child(0))
	for i := 1; i < len(n.children); i++ {
		if i == 1 {
			p.write(" with ")
		} else {
			p.write(" and ")
		}
		p.print(n.child(i))
	}
}

// functionParam prints all that became of a parameter. What the changes need
// follows them all, in their order.
func (p *printer) functionParam(n *node) {
	needed := 0
	for i := 0; i < len(n.children); {
		c := n.children[i]
		if c.kind != kindFunctionParamKind || i+1 == len(n.children) && needsMore(c.index) {
			return
		}
		switch c.index {
		case paramFunction, paramGlobal, paramStruct, paramKeyPath:
			p.write("[")
			p.print(c)
			p.write(" : ")
			needed = p.neededBy(n, c.index, needed)
			p.write("]")
			i++
		case paramInteger, paramFloat:
			p.payload(n, i, "[%0 : %1]")
			i += 2
		case paramString:
			p.payload(n, i, "[%0 : %1'")
			needed = p.neededBy(n, c.index, needed)
			p.write("']")
			i += 2
		case paramSameClosure:
			p.payload(n, i, "[%0 %1]")
			i += 2
		case paramClosure:
			i = p.closureParam(n, i)
		default:
			p.print(c)
			i++
		}
	}
}

// needsMore reports whether a change is told with something else.
func needsMore(what int) bool {
	switch what {
	case paramBoxToValue, paramBoxToStack, paramInOutToOut:
		return false
	}
	return what < len(paramTexts)
}

// payload prints two children, the first at i.
func (p *printer) payload(n *node, i int, template string) {
	p.template(template, &node{children: n.children[i:]})
}

// closureParam prints a closure with the types of what it captured, and returns
// where the next change is.
func (p *printer) closureParam(n *node, i int) int {
	p.write("[")
	p.print(n.child(i))
	p.write(" : ")
	p.print(n.child(i + 1))
	p.write(", Argument Types : [")
	for i += 2; n.child(i).is(kindType); i++ {
		p.print(n.child(i))
		if next := n.child(i + 1); next != nil && next.text != "" {
			p.write(", ")
		}
	}
	p.write("]")
	return i
}

// neededBy prints what a change needs, from the child at next on, and returns the
// place of the following one.
func (p *printer) neededBy(n *node, what, next int) int {
	if what != paramKeyPath {
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

func (p *printer) needed(n *node, what, next int) int {
	for ; next < len(n.children); next++ {
		c := n.children[next]
		if c.kind == kindFunctionParamKind || c.kind == kindFunctionParamPayload {
			continue
		}
		switch {
		case what == paramFunction || what == paramGlobal:
			p.symbolOrText(c.text)
		case what == paramString && c.text != "" && c.text[0] == '_':
			p.write(c.text[1:]) // the _ keeps a digit from following the length
		default:
			p.print(c)
		}
		return next + 1
	}
	return next
}

// symbolOrText prints what may be a symbol.
func (p *printer) symbolOrText(text string) {
	p.steps += len(text)
	root := (*node)(nil)
	if p.steps <= maxSteps {
		root = parse(text)
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

// paramFlagTexts are what is said of a parameter in any combination.
var paramFlagTexts = [...]struct {
	flag int
	text string
}{
	{paramExistentialToGeneric, "Existential To Protocol Constrained Generic"},
	{paramDead, "Dead"},
	{paramOwnedToGuaranteed, "Owned To Guaranteed"},
	{paramGuaranteedToOwned, "Guaranteed To Owned"},
	{paramExploded, "Exploded"},
}

// paramTexts are what is said of one alone.
var paramTexts = [...]string{
	paramFunction:    "Constant Propagated Function",
	paramGlobal:      "Constant Propagated Global",
	paramInteger:     "Constant Propagated Integer",
	paramFloat:       "Constant Propagated Float",
	paramString:      "Constant Propagated String",
	paramClosure:     "Closure Propagated",
	paramBoxToValue:  "Value Promoted from Box",
	paramBoxToStack:  "Stack Promoted from Box",
	paramInOutToOut:  "InOut Converted to Out",
	paramKeyPath:     "Constant Propagated KeyPath",
	paramStruct:      "Constant Propagated Struct",
	paramSameClosure: "Same As Argument",
}

// paramText says what became of a parameter.
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
