// Copyright 2015 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demangle

import (
	"slices"
	"strings"
)

// AST is an abstract syntax tree representing a C++ declaration.
// This is sufficient for the demangler but is by no means a general C++ AST.
// This abstract syntax tree is only used for C++ symbols, not Rust symbols.
type AST interface {
	// Internal method to convert to demangled string.
	print(*printState)
}

// astToString returns the demangled name of the AST.
func astToString(a AST, llvmStyle bool) string {
	ps := printState{llvmStyle: llvmStyle, scopes: 1}
	a.print(&ps)
	return ps.buf.String()
}

// The printState type holds information needed to print an AST.
type printState struct {
	llvmStyle bool

	// The scopes field is used to avoid unnecessary parentheses
	// around expressions that use > (or >>). It is incremented if
	// we output a parenthesis or something else that means that >
	// or >> won't be treated as ending a template. It starts out
	// as 1, and is set to 0 when we start writing template
	// arguments. We add parentheses around expressions using > if
	// scopes is 0. The effect is that an expression with > gets
	// parentheses if used as a template argument that is not
	// inside some other set of parentheses.
	scopes int

	// lambdaTemplateArgs is true if we are printing the template
	// arguments to a lambda with explicit template parameters.
	// In that case template parameters are printed without names.
	lambdaTemplateArgs bool

	buf  strings.Builder
	last byte // Last byte written to buffer.

	// The inner field is a list of items to print for a type
	// name.  This is used by types to implement the inside-out
	// C++ declaration syntax.
	inner []AST

	// The printing field is a list of items we are currently
	// printing.  This avoids endless recursion if a substitution
	// reference creates a cycle in the graph.
	printing []AST
}

// writeByte adds a byte to the string being printed.
// It is not inlined: copies of it took 30 kB of the program.
//
//go:noinline
func (ps *printState) writeByte(b byte) {
	ps.last = b
	ps.buf.WriteByte(b)
}

// writeString adds a string to the string being printed.
// It is not inlined: copies of it took 40 kB of the program.
//
//go:noinline
func (ps *printState) writeString(s string) {
	if len(s) > 0 {
		ps.last = s[len(s)-1]
	}
	ps.buf.WriteString(s)
}

// maxPrinting bounds how deep a tree is printed. The search for cycles takes time
// quadratic in the depth.
const maxPrinting = 1 << 12

// Print an AST.
func (ps *printState) print(a AST) {
	if ps.buf.Len() > maxLength || len(ps.printing) > maxPrinting {
		return
	}

	c := 0
	for _, v := range ps.printing {
		if v == a {
			// We permit the type to appear once, and
			// return without printing anything if we see
			// it twice.  This is for a case like
			// _Z6outer2IsEPFilES1_, where the
			// substitution is printed differently the
			// second time because the set of inner types
			// is different.
			c++
			if c > 1 {
				return
			}
		}
	}
	ps.printing = append(ps.printing, a)

	a.print(ps)

	ps.printing = ps.printing[:len(ps.printing)-1]
}

// printList prints a list of AST values separated by commas,
// optionally skipping some.
func (ps *printState) printList(args []AST, skip func(AST) bool) {
	first := true
	for _, a := range args {
		if skip != nil && skip(a) {
			continue
		}
		if !first {
			ps.writeString(", ")
		}

		// A pack that was expanded is a list in a list, not a comma expression.
		_, expanded := a.(*ExprList)
		needsParen := ps.llvmStyle && !expanded && precedenceOf(a, precPrimary) >= precComma
		ps.printParens(needsParen, a)

		first = false
	}
}

// startScope starts a scope. This is used to decide whether we need
// to parenthesize an expression using > or >>.
func (ps *printState) startScope(b byte) {
	ps.scopes++
	ps.writeByte(b)
}

// endScope closes a scope.
func (ps *printState) endScope(b byte) {
	ps.scopes--
	ps.writeByte(b)
}

// printParens prints an AST, in a scope of parentheses where parens is true.
func (ps *printState) printParens(parens bool, a AST) {
	if parens {
		ps.startScope('(')
	}
	ps.print(a)
	if parens {
		ps.endScope(')')
	}
}

// precedence is used for operator precedence. This is used to avoid
// unnecessary parentheses when printing expressions in the LLVM style.
type precedence int

// The precedence values, in order from high to low.
const (
	precPrimary precedence = iota
	precPostfix
	precUnary
	precCast
	precPtrMem
	precMul
	precAdd
	precShift
	precSpaceship
	precRel
	precEqual
	precAnd
	precXor
	precOr
	precLogicalAnd
	precLogicalOr
	precCond
	precAssign
	precComma
	precDefault
)

// hasPrec matches the AST nodes that have a prec method that returns
// the node's precedence.
type hasPrec interface {
	prec() precedence
}

// precedenceOf returns the precedence of a node, or otherwise if the node has none.
func precedenceOf(a AST, otherwise precedence) precedence {
	if p, ok := a.(hasPrec); ok {
		return p.prec()
	}
	return otherwise
}

// The parenthesize function prints the string for val, wrapped in
// parentheses if necessary.
func parenthesize(ps *printState, val AST) {
	paren := false
	switch v := val.(type) {
	case *Name, *InitializerList:
	case *FunctionParam:
		if ps.llvmStyle {
			paren = true
		}
	case *Qualified:
		if v.LocalName {
			paren = true
		}
	default:
		paren = true
	}
	ps.printParens(paren, val)
}

// Print the inner types.
func (ps *printState) printInner(prefixOnly bool) []AST {
	var save []AST
	var psave *[]AST
	if prefixOnly {
		psave = &save
	}
	for len(ps.inner) > 0 {
		ps.printOneInner(psave)
	}
	return save
}

// innerPrinter is an interface for types that can print themselves as
// inner types.
type innerPrinter interface {
	printInner(*printState)
}

// Print the most recent inner type.  If save is not nil, only print
// prefixes.
func (ps *printState) printOneInner(save *[]AST) {
	if len(ps.inner) == 0 {
		panic("printOneInner called with no inner types")
	}
	ln := len(ps.inner)
	a := ps.inner[ln-1]
	ps.inner = ps.inner[:ln-1]

	if save != nil {
		if _, ok := a.(*MethodWithQualifiers); ok {
			*save = append(*save, a)
			return
		}
	}

	if ip, ok := a.(innerPrinter); ok {
		ip.printInner(ps)
	} else {
		ps.print(a)
	}
}

// isEmpty returns whether printing a will not print anything.
func (ps *printState) isEmpty(a AST) bool {
	switch a := a.(type) {
	case *ArgumentPack:
		for _, a := range a.Args {
			if !ps.isEmpty(a) {
				return false
			}
		}
		return true
	case *ExprList:
		return len(a.Exprs) == 0
	case *PackExpansion:
		return a.Pack != nil && ps.isEmpty(a.Base)
	case *TemplateParamQualifiedArg:
		return ps.isEmpty(a.Arg)
	default:
		return false
	}
}

// compound is a node with parts.
type compound interface {
	AST

	// clone returns a copy of the node that has the same parts.
	clone() compound

	// parts passes each part to v, in the order of the mangled name. An optional part
	// may be nil.
	parts(v visitor)
}

// visitor receives the parts of a node, and may replace them.
type visitor interface {
	part(*AST)
	list(*[]AST)
}

// walk calls enter for each node of a tree, a parent before its parts. It skips the
// parts of a node for which enter returns false.
func walk(a AST, enter func(AST) bool) {
	if !enter(a) {
		return
	}
	if c, ok := a.(compound); ok {
		c.parts(walker(enter))
	}
}

type walker func(AST) bool

func (w walker) part(p *AST) {
	if *p != nil {
		walk(*p, w)
	}
}

func (w walker) list(l *[]AST) {
	for _, a := range *l {
		walk(a, w)
	}
}

// rebuild copies the tree of a as far as change replaces nodes in it. change gets a node
// after its parts have been replaced, and returns nil to keep it. A node that skip
// returns true for stays as it is. rebuild returns nil if nothing was replaced.
func rebuild(a AST, change func(AST) AST, skip func(AST) bool) AST {
	if skip(a) {
		return nil
	}
	c, ok := a.(compound)
	if !ok {
		return change(a)
	}
	e := rebuilder{change: change, skip: skip}
	c = c.clone()
	c.parts(&e)
	if !e.changed {
		return change(a)
	}
	if r := change(c); r != nil {
		return r
	}
	return c
}

// rebuilder rebuilds the parts of one node.
type rebuilder struct {
	change  func(AST) AST
	skip    func(AST) bool
	changed bool
}

func (e *rebuilder) part(p *AST) {
	if *p == nil {
		return
	}
	if r := rebuild(*p, e.change, e.skip); r != nil {
		*p, e.changed = r, true
	}
}

// list copies the list before it replaces something in it: the original node has it too.
func (e *rebuilder) list(l *[]AST) {
	copied := false
	for i, a := range *l {
		r := rebuild(a, e.change, e.skip)
		if r == nil {
			continue
		}
		if !copied {
			*l, copied = slices.Clone(*l), true
		}
		(*l)[i], e.changed = r, true
	}
}

// shallow returns a copy of a node.
func shallow[T any](node *T) *T {
	c := *node
	return &c
}
