package swift

// How the functions of the intermediate language (SIL) are called, and how they
// take parameters and return results.
var (
	calleeConventions = [128]string{
		'y': "@callee_unowned", 'g': "@callee_guaranteed", 'x': "@callee_owned", 't': "@convention(thin)",
	}
	parameterConventions = [128]string{
		'i': "@in", 'c': "@in_constant", 'l': "@inout", 'b': "@inout_aliasable", 'n': "@in_guaranteed", 'X': "@in_cxx",
		'x': "@owned", 'g': "@guaranteed", 'e': "@deallocating", 'y': "@unowned", 'v': "@pack_owned",
		'p': "@pack_guaranteed", 'm': "@pack_inout",
	}
	resultConventions = [128]string{
		'r': "@out", 'o': "@owned", 'd': "@unowned", 'u': "@unowned_inner_pointer", 'a': "@autoreleased",
		'k': "@pack_out", 'l': "@guaranteed_address", 'g': "@guaranteed", 'm': "@inout",
	}
	functionConventions = [128]string{
		'B': "block", 'C': "c", 'M': "method", 'O': "objc_method", 'K': "closure", 'W': "witness_method",
	}
	coroutineKinds     = [128]string{'A': "@yield_once", 'I': "@yield_once_2", 'G': "@yield_many"}
	differentiabilites = [128]string{
		'd': "@differentiable", 'l': "@differentiable(_linear)", 'f': "@differentiable(_forward)", 'r': "@differentiable(reverse)",
	}
)

// implFunctionType reads the type of a function as the intermediate language has
// it: attributes, then parameters and results, whose types are on the stack.
func (p *parser) implFunctionType() *node {
	f := p.leaf(kindImplFunctionType)
	if f == nil || !p.implSubstitutions(f) {
		return nil
	}
	signature := p.pop(kindGenericSignature)
	if signature != nil {
		p.accept('P') // pseudogeneric: it is printed alike
	}
	if !p.implAttributes(f) {
		return nil
	}
	addIf(f, signature)
	first := len(f.children)
	if !p.implParameters(f) {
		return nil
	}
	for i := len(f.children) - 1; i >= first; i-- {
		if add(f.children[i], p.popType()) == nil {
			return nil
		}
	}
	return p.typed(f)
}

// implSubstitutions reads what was put for the parameters of a pattern, and for those
// of the function.
func (p *parser) implSubstitutions(f *node) bool {
	if p.accept('s') {
		lists, conformances, ok := p.popArguments()
		if !ok {
			return false
		}
		s := p.node(kindImplPatternSubstitutions, p.pop(kindGenericSignature), lists[0])
		addIf(s, conformances)
		if add(f, s) == nil {
			return false
		}
	}
	if p.accept('I') {
		lists, conformances, ok := p.popArguments()
		if !ok || len(lists) != 1 {
			return false
		}
		s := p.node(kindImplInvocationSubstitutions, lists[0])
		addIf(s, conformances)
		return add(f, s) != nil
	}
	return true
}

// implAttributes reads what is written before the parameters.
func (p *parser) implAttributes(f *node) bool {
	p.implAttribute(f, p.accept('e'), "@escaping")
	p.implAttribute(f, p.accept('A'), "@isolated(any)")
	p.implAttributeOf(f, &differentiabilites)
	convention := at(&calleeConventions, p.next())
	if convention == "" {
		return false
	}
	p.implAttribute(f, true, convention)
	if !p.implFunctionConvention(f) {
		return false
	}
	p.implAttributeOf(f, &coroutineKinds)
	p.implAttribute(f, p.accept('h'), "@Sendable")
	p.implAttribute(f, p.accept('H'), "@async")
	if p.accept('T') {
		addIf(f, p.leaf(kindImplSendingResult))
	}
	return true
}

func (p *parser) implAttribute(f *node, has bool, text string) {
	if has {
		addIf(f, p.withText(kindImplAttribute, text))
	}
}

// implAttributeOf reads an attribute that is one of several or not there.
func (p *parser) implAttributeOf(f *node, texts *[128]string) {
	if text := at(texts, p.peek()); text != "" {
		p.pos++
		p.implAttribute(f, true, text)
	}
}

// implFunctionConvention reads the convention of another language; with a z before
// it, the type that C has for the function follows.
func (p *parser) implFunctionConvention(f *node) bool {
	withType := p.peek() == 'z' && p.pos+1 < len(p.name) && (p.name[p.pos+1] == 'B' || p.name[p.pos+1] == 'C')
	if withType {
		p.pos++
	}
	name := at(&functionConventions, p.peek())
	if name == "" {
		return true
	}
	p.pos++
	text := "@convention(" + name
	if withType {
		clang := p.clangType()
		if clang == nil {
			return false
		}
		text += ", mangledCType: \"" + clang.text + "\""
	}
	p.implAttribute(f, true, text+")")
	return true
}

// implParameters reads the conventions of parameters, results, yields and the error.
func (p *parser) implParameters(f *node) bool {
	for n := p.implParameter(); n != nil; n = p.implParameter() {
		addIf(f, n)
	}
	for n := p.implResult(""); n != nil; n = p.implResult("") {
		addIf(f, n)
	}
	for p.accept('Y') {
		convention := p.convention(&parameterConventions)
		if convention == nil || add(f, p.implValue(kindImplResult, "@yields ", convention)) == nil {
			return false
		}
	}
	if p.accept('z') {
		convention := p.convention(&resultConventions)
		if convention == nil || add(f, p.implValue(kindImplResult, "@error ", convention)) == nil {
			return false
		}
	}
	return p.accept('_')
}

// convention reads one, nil if none of the table follows.
func (p *parser) convention(table *[128]string) *node {
	text := at(table, p.peek())
	if text == "" {
		return nil
	}
	p.pos++
	return p.withText(kindText, text)
}

// implValue makes a parameter or result; its type is added to it later.
func (p *parser) implValue(k kind, before string, convention *node) *node {
	n := p.node(k, convention)
	if n != nil {
		n.text = before
	}
	return n
}

const noDerivativeMark = "@noDerivative "

// Marks of a parameter, in the order that they come in.
var parameterMarks = [...]struct {
	mark byte
	text string
}{
	{'w', noDerivativeMark}, {'T', "sending "}, {'I', "isolated "}, {'L', "sil_implicit_leading_param "},
}

func (p *parser) implParameter() *node {
	n := p.implValue(kindImplParameter, "", p.convention(&parameterConventions))
	if n == nil {
		return nil
	}
	for _, m := range parameterMarks {
		if p.accept(m.mark) {
			addIf(n, p.withText(kindText, m.text))
		}
	}
	return n
}

func (p *parser) implResult(before string) *node {
	n := p.implValue(kindImplResult, before, p.convention(&resultConventions))
	if n != nil && p.accept('w') {
		addIf(n, p.withText(kindText, noDerivativeMark))
	}
	return n
}
