package render

import (
	"stacksnap/images/swift/internal/tree"
)

// typing says how the type of an entity is printed.
type typing uint8

const (
	typingNone     typing = iota
	typingColon           // after a colon
	typingFunction        // as parameters and result
)

// entityStyle says how an entity is printed: Context.name.extra#1 : Type, or extra#1
// of name in Context : Type if extra has several words.
type entityStyle struct {
	typing   typing
	hasName  bool   // the second child is the name
	name     string // instead of the second child
	extra    string
	number   int // printed after extra
	numbered bool
}

// entity prints an entity with its context. If asPrefix is true, the entity is the
// context of another. Then an entity that cannot be printed as a prefix is returned
// instead, and the caller prints it after the name.
func (p *printer) entity(n *tree.Node, asPrefix bool) (after *tree.Node) {
	style := p.style(n)
	var arguments *tree.Node
	if n.Kind == tree.BoundGenericFunction || n.Kind == tree.Accessor {
		if n.Kind == tree.BoundGenericFunction {
			arguments = n.Child(1)
		}
		n = n.Child(0)
	}
	if n == nil || n.Child(0) == nil {
		p.failed = true
		return nil
	}
	local := style.hasName && n.Child(1).Is(tree.LocalDeclName)
	suffixed := local || hasSpace(style.extra) // the context follows the name
	if asPrefix && (style.typing != typingNone || suffixed) {
		return n
	}
	after = p.context(n.Child(0), suffixed)
	p.name(n, &style, suffixed)
	p.typeOf(n, &style, arguments, suffixed)
	if asPrefix || after == nil {
		return after
	}
	p.write(contextWord(n.Kind))
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

// context prints the context of an entity and a dot. If the context follows the name,
// it is returned instead.
func (p *printer) context(n *tree.Node, follows bool) (after *tree.Node) {
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

// contextWord returns the word between a name and the context that follows it.
func contextWord(k tree.Kind) string {
	if k == tree.DefaultArgument || k == tree.Initializer {
		return " of "
	}
	return " in "
}

// name prints the name of an entity.
func (p *printer) name(n *tree.Node, style *entityStyle, suffixed bool) {
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

func (p *printer) ownName(n *tree.Node, style *entityStyle) {
	if style.name != "" {
		p.write(style.name)
		return
	}
	if name := n.Child(1); !name.Is(tree.PrivateDeclName) {
		p.print(name)
	}
	p.printIf(n.Find(tree.PrivateDeclName))
}

// typeOf prints the type of an entity.
func (p *printer) typeOf(n *tree.Node, style *entityStyle, arguments *tree.Node, suffixed bool) {
	if style.typing == typingNone {
		return
	}
	t := n.Find(tree.Type).Child(0)
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

// isFunction reports whether the type of an entity is a function type. Other types
// are printed after a colon.
func isFunction(t *tree.Node) bool {
	for range tree.MaxDepth {
		if !t.Is(tree.DependentGenericType) {
			break
		}
		t = t.Child(1).Child(0)
	}
	if t == nil {
		return false
	}
	switch t.Kind {
	case tree.FunctionType, tree.NoEscapeFunctionType, tree.UncurriedFunctionType, tree.CFunctionPointer, tree.ThinFunctionType:
		return true
	}
	return false
}

// needsSpace reports whether a space has to separate a name from its type, because
// the type does not begin with a parenthesis or bracket.
func needsSpace(t *tree.Node) bool {
	for t.Is(tree.Type) {
		t = t.Child(0)
	}
	if t == nil {
		return true
	}
	switch t.Kind {
	case tree.FunctionType, tree.NoEscapeFunctionType, tree.UncurriedFunctionType, tree.DependentGenericType:
		return false
	}
	return true
}

// entityType prints a type with the entity's argument labels in it.
func (p *printer) entityType(n, t, arguments *tree.Node) {
	labels := n.Find(tree.LabelList)
	if labels == nil && arguments == nil {
		p.print(t)
		return
	}
	if arguments != nil {
		p.write("<")
		p.printList(arguments.Children, ", ")
		p.write(">")
	}
	if t.Kind == tree.DependentGenericType {
		if arguments == nil {
			p.print(t.Child(0))
		}
		if needsSpace(t.Child(1)) {
			p.write(" ")
		}
		t = t.Child(1).Child(0)
	}
	p.functionType(labels, t)
}

// extraNames are the names of entities without a name in the source.
var extraNames = [tree.EndOfEntities]string{
	tree.Allocator:           "init",
	tree.Constructor:         "init",
	tree.Destructor:          "deinit",
	tree.Deallocator:         "deinit",
	tree.IsolatedDeallocator: "deinit",
	tree.IVarInitializer:     "__ivar_initializer",
	tree.IVarDestroyer:       "__ivar_destroyer",
	tree.ExplicitClosure:     "closure #",
	tree.ImplicitClosure:     "implicit closure #",
	tree.DefaultArgument:     "default argument ",
	tree.FreestandingMacro:   "freestanding macro expansion #",
	tree.MacroUniqueName:     "unique name #",
}

// extraNamesOfClasses are the names of such entities in classes, where they differ.
var extraNamesOfClasses = [tree.EndOfEntities]string{
	tree.Allocator:           "__allocating_init",
	tree.Deallocator:         "__deallocating_deinit",
	tree.IsolatedDeallocator: "__isolated_deallocating_deinit",
}

// style returns the style in which an entity is printed.
func (p *printer) style(n *tree.Node) entityStyle {
	s := entityStyle{extra: extraNames[n.Kind]}
	if extra := extraNamesOfClasses[n.Kind]; extra != "" && n.Child(0).Is(tree.Class) {
		s.extra = extra
	}
	switch n.Kind {
	case tree.Variable:
		s.hasName, s.typing = true, typingColon
	case tree.Function, tree.BoundGenericFunction:
		s.hasName, s.typing = true, typingFunction
	case tree.Subscript:
		s.name, s.typing = "subscript", typingFunction
	case tree.Accessor:
		s = p.style(n.Child(0))
		s.extra, s.typing = n.Text, typingColon
	case tree.Macro:
		s.hasName, s.typing = true, typingFunction
		if len(n.Children) == 3 {
			s.typing = typingColon
		}
	case tree.Allocator:
		s.typing = typingFunction
	case tree.Constructor:
		s.hasName, s.typing = len(n.Children) > 2, typingFunction
	case tree.Initializer:
		s.extra = n.Text
	case tree.ExplicitClosure, tree.ImplicitClosure, tree.DefaultArgument:
		p.numberStyle(n, &s)
	case tree.AttachedMacro, tree.FreestandingMacro, tree.MacroUniqueName:
		p.macroStyle(n, &s)
	default:
		s.hasName = s.extra == ""
	}
	return s
}

// numberStyle completes the style of an entity with a number instead of a name.
func (p *printer) numberStyle(n *tree.Node, s *entityStyle) {
	i := n.Child(1)
	if i == nil {
		p.failed = true
		return
	}
	s.numbered, s.number = true, i.Index
	if n.Kind == tree.DefaultArgument {
		return
	}
	s.number++
	if !p.simple {
		s.typing = typingFunction
	}
}

// macroStyle completes the style of a macro expansion. The number follows the name.
func (p *printer) macroStyle(n *tree.Node, s *entityStyle) {
	last := len(n.Children) - 1
	if n.Last().Is(tree.PrivateDeclName) {
		last--
	}
	i, name := n.Child(last), n.Child(last-1)
	if i == nil || name == nil {
		p.failed = true
		return
	}
	s.hasName, s.numbered, s.number = true, true, i.Index+1
	if n.Kind == tree.AttachedMacro {
		s.extra = n.Text + " macro @" + name.Text + " expansion #"
	}
}
