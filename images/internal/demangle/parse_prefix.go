// Copyright 2015 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demangle

import "sync"

// prefix parses:
//
//	<prefix> ::= <prefix> <unqualified-name>
//	         ::= <template-prefix> <template-args>
//	         ::= <template-param>
//	         ::= <decltype>
//	         ::=
//	         ::= <substitution>
//
//	<template-prefix> ::= <prefix> <(template) unqualified-name>
//	                  ::= <template-param>
//	                  ::= <substitution>
//
//	<decltype> ::= Dt <expression> E
//	           ::= DT <expression> E
func (st *state) prefix() AST {
	var a AST

	// The last name seen, for a constructor/destructor.
	var last AST

	var module AST

	getLast := func(a AST) AST {
		for {
			if t, ok := a.(*Template); ok {
				a = t.Name
			} else if q, ok := a.(*Qualified); ok {
				a = q.Name
			} else if t, ok := a.(*TaggedName); ok {
				a = t.Name
			} else {
				return a
			}
		}
	}

	var cast *Cast
	for {
		if len(st.str) == 0 {
			st.fail("expected prefix")
		}
		var next AST

		c := st.str[0]
		if isDigit(c) || isLower(c) || c == 'U' || c == 'L' || c == 'F' || c == 'W' || (c == 'D' && len(st.str) > 1 && st.str[1] == 'C') {
			un, isUnCast := st.unqualifiedName(module)
			next = un
			module = nil
			if isUnCast {
				if cast != nil {
					st.fail("cast in scope of cast")
				}
				if m, ok := un.(*ModuleEntity); ok {
					un = m.Name
				}
				for {
					tn, ok := un.(*TaggedName)
					if !ok {
						break
					}
					un = tn.Name
				}
				if f, ok := un.(*Friend); ok {
					un = f.Name
				}
				cast = un.(*Cast)
			}
		} else {
			switch st.str[0] {
			case 'C':
				inheriting := false
				st.advance(1)
				if len(st.str) > 0 && st.str[0] == 'I' {
					inheriting = true
					st.advance(1)
				}
				if len(st.str) < 1 {
					st.fail("expected constructor type")
				}
				if last == nil {
					st.fail("constructor before name is seen")
				}
				switch st.str[0] {
				// 0 is not used.
				case '1', '2', '3', '4', '5':
				default:
					st.fail("unknown constructor type")
				}
				st.advance(1)
				var base AST
				if inheriting {
					base = st.demangleType(false)
				}
				next = &Constructor{
					Name: getLast(last),
					Base: base,
				}
				if len(st.str) > 0 && st.str[0] == 'B' {
					next = st.taggedName(next)
				}
			case 'D':
				if len(st.str) > 1 && (st.str[1] == 'T' || st.str[1] == 't') {
					next = st.demangleType(false)
				} else {
					if len(st.str) < 2 {
						st.fail("expected destructor type")
					}
					if last == nil {
						st.fail("destructor before name is seen")
					}
					switch st.str[1] {
					// 3 is not used.
					case '0', '1', '2', '4', '5':
					default:
						st.fail("unknown destructor type")
					}
					st.advance(2)
					next = &Destructor{Name: getLast(last)}
					if len(st.str) > 0 && st.str[0] == 'B' {
						next = st.taggedName(next)
					}
				}
			case 'S':
				next = st.substitution(true)
				if mn, ok := next.(*ModuleName); ok {
					module = mn
					next = nil
				}
			case 'I':
				if a == nil {
					st.fail("unexpected template arguments")
				}
				args, constraint := st.templateArgs()
				tmpl := &Template{Name: a, Args: args}
				if cast != nil {
					st.setTemplate(cast, tmpl)
					st.clearTemplateArgs(args)
					cast = nil
				}
				a = nil
				next = st.maybeAddConstraint(tmpl, constraint)
			case 'T':
				next = st.templateParam()
			case 'E':
				if a == nil {
					st.fail("expected prefix")
				}
				if cast != nil {
					var toTmpl *Template
					if castTempl, ok := cast.To.(*Template); ok {
						toTmpl = castTempl
					}
					st.setTemplate(cast, toTmpl)
				}
				return a
			case 'M':
				if a == nil {
					st.fail("unexpected lambda initializer")
				}
				// This is the initializer scope for a
				// lambda.  We don't need to record
				// it.  The normal code will treat the
				// variable has a type scope, which
				// gives appropriate output.
				st.advance(1)
				continue
			case 'J':
				// It appears that in some cases clang
				// can emit a J for a template arg
				// without the expected I.  I don't
				// know when this happens, but I've
				// seen it in some large C++ programs.
				if a == nil {
					st.fail("unexpected template arguments")
				}
				var args []AST
				for len(st.str) == 0 || st.str[0] != 'E' {
					arg := st.templateArg(nil)
					args = append(args, arg)
				}
				st.advance(1)
				tmpl := &Template{Name: a, Args: args}
				if cast != nil {
					st.setTemplate(cast, tmpl)
					st.clearTemplateArgs(args)
					cast = nil
				}
				a = nil
				next = tmpl
			default:
				st.fail("unrecognized letter in prefix")
			}
		}

		if next == nil {
			continue
		}

		last = next
		if a == nil {
			a = next
		} else {
			a = &Qualified{Scope: a, Name: next, LocalName: false}
		}

		if c != 'S' && (len(st.str) == 0 || st.str[0] != 'E') {
			st.subs.add(a)
		}
	}
}

// An operator is the demangled name, and the number of arguments it
// takes in an expression.
type operator struct {
	name string
	args int
	prec precedence
}

// The operators map maps the mangled operator names to information
// about them.
var operators = sync.OnceValue(func() map[string]operator {
	return map[string]operator{
		"aN": {"&=", 2, precAssign},
		"aS": {"=", 2, precAssign},
		"aa": {"&&", 2, precLogicalAnd},
		"ad": {"&", 1, precUnary},
		"an": {"&", 2, precAnd},
		"at": {"alignof ", 1, precUnary},
		"aw": {"co_await ", 1, precPrimary},
		"az": {"alignof ", 1, precUnary},
		"cc": {"const_cast", 2, precPostfix},
		"cl": {"()", 2, precPostfix},
		// cp is not in the ABI but is used by clang "when the call
		// would use ADL except for being parenthesized."
		// The trailing space indicates this to the printer.
		"cp": {"() ", 2, precPostfix},
		"cm": {",", 2, precComma},
		"co": {"~", 1, precUnary},
		"dV": {"/=", 2, precAssign},
		"dX": {"[...]=", 3, precAssign},
		"da": {"delete[] ", 1, precUnary},
		"dc": {"dynamic_cast", 2, precPostfix},
		"de": {"*", 1, precUnary},
		"di": {"=", 2, precAssign},
		"dl": {"delete ", 1, precUnary},
		"ds": {".*", 2, precPtrMem},
		"dt": {".", 2, precPostfix},
		"dv": {"/", 2, precAssign},
		"dx": {"]=", 2, precAssign},
		"eO": {"^=", 2, precAssign},
		"eo": {"^", 2, precXor},
		"eq": {"==", 2, precEqual},
		"fl": {"...", 2, precPrimary},
		"fr": {"...", 2, precPrimary},
		"fL": {"...", 3, precPrimary},
		"fR": {"...", 3, precPrimary},
		"ge": {">=", 2, precRel},
		"gs": {"::", 1, precUnary},
		"gt": {">", 2, precRel},
		"ix": {"[]", 2, precPostfix},
		"lS": {"<<=", 2, precAssign},
		"le": {"<=", 2, precRel},
		"li": {`operator"" `, 1, precUnary},
		"ls": {"<<", 2, precShift},
		"lt": {"<", 2, precRel},
		"mI": {"-=", 2, precAssign},
		"mL": {"*=", 2, precAssign},
		"mi": {"-", 2, precAdd},
		"ml": {"*", 2, precMul},
		"mm": {"--", 1, precPostfix},
		"na": {"new[]", 3, precUnary},
		"ne": {"!=", 2, precEqual},
		"ng": {"-", 1, precUnary},
		"nt": {"!", 1, precUnary},
		"nw": {"new", 3, precUnary},
		"nx": {"noexcept", 1, precUnary},
		"oR": {"|=", 2, precAssign},
		"oo": {"||", 2, precLogicalOr},
		"or": {"|", 2, precOr},
		"pL": {"+=", 2, precAssign},
		"pl": {"+", 2, precAdd},
		"pm": {"->*", 2, precPtrMem},
		"pp": {"++", 1, precPostfix},
		"ps": {"+", 1, precUnary},
		"pt": {"->", 2, precPostfix},
		"qu": {"?", 3, precCond},
		"rM": {"%=", 2, precAssign},
		"rS": {">>=", 2, precAssign},
		"rc": {"reinterpret_cast", 2, precPostfix},
		"rm": {"%", 2, precMul},
		"rs": {">>", 2, precShift},
		"sP": {"sizeof...", 1, precUnary},
		"sZ": {"sizeof...", 1, precUnary},
		"sc": {"static_cast", 2, precPostfix},
		"ss": {"<=>", 2, precSpaceship},
		"st": {"sizeof ", 1, precUnary},
		"sz": {"sizeof ", 1, precUnary},
		"te": {"typeid ", 1, precPostfix},
		"ti": {"typeid ", 1, precPostfix},
		"tr": {"throw", 0, precPrimary},
		"tw": {"throw ", 1, precUnary},
	}
})

// operatorName parses:
//
//	operator_name ::= many different two character encodings.
//	              ::= cv <type>
//	              ::= v <digit> <source-name>
//
// We need to know whether we are in an expression because it affects
// how we handle template parameters in the type of a cast operator.
func (st *state) operatorName(inExpression bool) (AST, int) {
	if len(st.str) < 2 {
		st.fail("missing operator code")
	}
	code := st.str[:2]
	st.advance(2)
	if code[0] == 'v' && isDigit(code[1]) {
		name := st.sourceName()
		return &Operator{Name: name.(*Name).Name}, int(code[1] - '0')
	} else if code == "cv" {
		// Push a nil on templates to indicate that template
		// parameters will have their template filled in
		// later.
		if !inExpression {
			st.templates = append(st.templates, nil)
		}

		t := st.demangleType(!inExpression)

		if !inExpression {
			st.templates = st.templates[:len(st.templates)-1]
		}

		return &Cast{To: t}, 1
	} else if op, ok := operators()[code]; ok {
		return &Operator{Name: op.name, precedence: op.prec}, op.args
	} else {
		st.fail("unrecognized operator code")
		panic("not reached")
	}
}
