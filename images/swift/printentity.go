package swift

// typing is how the type of an entity is printed.
type typing uint8

const (
	typingNone     typing = iota
	typingColon           // after a colon
	typingFunction        // as parameters and result
)

// entityStyle is how an entity is printed: Context.name.extra#1 : Type, or
// extra#1 of name in Context : Type if extra is more than a word.
type entityStyle struct {
	typing   typing
	hasName  bool   // its second child is its name
	name     string // in place of that
	extra    string
	number   int // after extra
	numbered bool
}

// entity prints an entity with its context. As a prefix, what can be none is not
// printed but returned.
func (p *printer) entity(n *node, asPrefix bool) (after *node) {
	style := p.style(n)
	var arguments *node
	if n.kind == kindBoundGenericFunction || n.kind == kindAccessor {
		if n.kind == kindBoundGenericFunction {
			arguments = n.child(1)
		}
		n = n.child(0)
	}
	if n == nil || n.child(0) == nil {
		p.failed = true
		return nil
	}
	local := style.hasName && n.child(1).is(kindLocalDeclName)
	suffixed := local || hasSpace(style.extra) // the context follows the name
	if asPrefix && (style.typing != typingNone || suffixed) {
		return n
	}
	after = p.context(n.child(0), suffixed)
	p.name(n, &style, suffixed)
	p.typeOf(n, &style, arguments, suffixed)
	if asPrefix || after == nil {
		return after
	}
	p.write(contextWord(n.kind))
	p.print(after)
	return nil
}

func hasSpace(s string) bool {
	for i := range len(s) {
		if s[i] == ' ' {
			return true
		}
	}
	return false
}

// context prints what an entity is in, with a dot, or returns it if it follows.
func (p *printer) context(n *node, follows bool) (after *node) {
	if follows {
		return n
	}
	start := len(p.out)
	after = p.printPrefix(n)
	if len(p.out) != start {
		p.write(".")
	}
	return after
}

// contextWord is what is between a name and the context that follows it.
func contextWord(k kind) string {
	if k == kindDefaultArgument || k == kindInitializer {
		return " of "
	}
	return " in "
}

// name prints the name of an entity.
func (p *printer) name(n *node, style *entityStyle, suffixed bool) {
	extraDone := style.extra == ""
	if style.hasName || style.name != "" {
		if !extraDone && suffixed {
			p.extra(style)
			p.write(" of ")
			extraDone = true
		}
		start := len(p.out)
		p.ownName(n, style)
		if len(p.out) != start && !extraDone {
			p.write(".")
		}
	}
	if !extraDone {
		p.extra(style)
	}
}

func (p *printer) extra(style *entityStyle) {
	p.write(style.extra)
	if style.numbered {
		p.writeInt(style.number)
	}
}

func (p *printer) ownName(n *node, style *entityStyle) {
	if style.name != "" {
		p.write(style.name)
		return
	}
	if name := n.child(1); !name.is(kindPrivateDeclName) {
		p.print(name)
	}
	p.printIf(n.find(kindPrivateDeclName))
}

// typeOf prints the type of an entity.
func (p *printer) typeOf(n *node, style *entityStyle, arguments *node, suffixed bool) {
	if style.typing == typingNone {
		return
	}
	t := n.find(kindType).child(0)
	if t == nil {
		p.failed = true
		return
	}
	if style.typing == typingFunction && isFunction(t) {
		if suffixed || needsSpace(t) {
			p.write(" ")
		}
		p.entityType(n, t, arguments)
	} else if !p.simple {
		p.write(" : ")
		p.entityType(n, t, arguments)
	}
}

// isFunction reports whether the type of an entity is that of a function; what has
// another is printed with a colon.
func isFunction(t *node) bool {
	for range maxDepth {
		if !t.is(kindDependentGenericType) {
			break
		}
		t = t.child(1).child(0)
	}
	if t == nil {
		return false
	}
	switch t.kind {
	case kindFunctionType, kindNoEscapeFunctionType, kindUncurriedFunctionType, kindCFunctionPointer, kindThinFunctionType:
		return true
	}
	return false
}

// needsSpace reports whether a type does not begin with a parenthesis or bracket
// that may follow a name at once.
func needsSpace(t *node) bool {
	for t.is(kindType) {
		t = t.child(0)
	}
	if t == nil {
		return true
	}
	switch t.kind {
	case kindFunctionType, kindNoEscapeFunctionType, kindUncurriedFunctionType, kindDependentGenericType:
		return false
	}
	return true
}

// entityType prints a type with the labels of the entity in it.
func (p *printer) entityType(n, t, arguments *node) {
	labels := n.find(kindLabelList)
	if labels == nil && arguments == nil {
		p.print(t)
		return
	}
	if arguments != nil {
		p.write("<")
		p.printList(arguments.children, ", ")
		p.write(">")
	}
	if t.kind == kindDependentGenericType {
		if arguments == nil {
			p.print(t.child(0))
		}
		if needsSpace(t.child(1)) {
			p.write(" ")
		}
		t = t.child(1).child(0)
	}
	p.functionType(labels, t)
}

// extraNames are those of entities that have none in the source.
var extraNames = [endOfEntities]string{
	kindAllocator:           "init",
	kindConstructor:         "init",
	kindDestructor:          "deinit",
	kindDeallocator:         "deinit",
	kindIsolatedDeallocator: "deinit",
	kindIVarInitializer:     "__ivar_initializer",
	kindIVarDestroyer:       "__ivar_destroyer",
	kindExplicitClosure:     "closure #",
	kindImplicitClosure:     "implicit closure #",
	kindDefaultArgument:     "default argument ",
	kindFreestandingMacro:   "freestanding macro expansion #",
	kindMacroUniqueName:     "unique name #",
}

// extraNamesOfClasses are those of what is in a class.
var extraNamesOfClasses = [endOfEntities]string{
	kindAllocator:           "__allocating_init",
	kindDeallocator:         "__deallocating_deinit",
	kindIsolatedDeallocator: "__isolated_deallocating_deinit",
}

// style returns how an entity is printed.
func (p *printer) style(n *node) entityStyle {
	s := entityStyle{extra: extraNames[n.kind]}
	if extra := extraNamesOfClasses[n.kind]; extra != "" && n.child(0).is(kindClass) {
		s.extra = extra
	}
	switch n.kind {
	case kindVariable:
		s.hasName, s.typing = true, typingColon
	case kindFunction, kindBoundGenericFunction:
		s.hasName, s.typing = true, typingFunction
	case kindSubscript:
		s.name, s.typing = "subscript", typingFunction
	case kindAccessor:
		s = p.style(n.child(0))
		s.extra, s.typing = n.text, typingColon
	case kindMacro:
		s.hasName, s.typing = true, typingFunction
		if len(n.children) == 3 {
			s.typing = typingColon
		}
	case kindAllocator:
		s.typing = typingFunction
	case kindConstructor:
		s.hasName, s.typing = len(n.children) > 2, typingFunction
	case kindInitializer:
		s.extra = n.text
	case kindExplicitClosure, kindImplicitClosure, kindDefaultArgument:
		p.numberStyle(n, &s)
	case kindAttachedMacro, kindFreestandingMacro, kindMacroUniqueName:
		p.macroStyle(n, &s)
	default:
		s.hasName = s.extra == ""
	}
	return s
}

// numberStyle is that of what is told by a number.
func (p *printer) numberStyle(n *node, s *entityStyle) {
	i := n.child(1)
	if i == nil {
		p.failed = true
		return
	}
	s.numbered, s.number = true, i.index
	if n.kind == kindDefaultArgument {
		return
	}
	s.number++
	if !p.simple {
		s.typing = typingFunction
	}
}

// macroStyle is that of an expansion of a macro; its number follows its name.
func (p *printer) macroStyle(n *node, s *entityStyle) {
	last := len(n.children) - 1
	if n.last().is(kindPrivateDeclName) {
		last--
	}
	i, name := n.child(last), n.child(last-1)
	if i == nil || name == nil {
		p.failed = true
		return
	}
	s.hasName, s.numbered, s.number = true, true, i.index+1
	if n.kind == kindAttachedMacro {
		s.extra = n.text + " macro @" + name.text + " expansion #"
	}
}
