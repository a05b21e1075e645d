// Copyright 2015 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demangle

// Qualifiers is an ordered list of type qualifiers.
type Qualifiers struct {
	Qualifiers []AST
}

func (qs *Qualifiers) print(ps *printState) {
	first := true
	for _, q := range qs.Qualifiers {
		if !first {
			ps.writeByte(' ')
		}
		q.print(ps)
		first = false
	}
}

func (qs *Qualifiers) clone() compound { return shallow(qs) }
func (qs *Qualifiers) parts(v visitor) { v.list(&qs.Qualifiers) }

// Qualifier is a single type qualifier.
type Qualifier struct {
	Name  string // qualifier name: const, volatile, etc.
	Exprs []AST  // can be non-nil for noexcept and throw
}

func (q *Qualifier) print(ps *printState) {
	ps.writeString(q.Name)
	if len(q.Exprs) > 0 {
		ps.startScope('(')
		first := true
		for _, e := range q.Exprs {
			if el, ok := e.(*ExprList); ok && len(el.Exprs) == 0 {
				continue
			}
			if !first {
				ps.writeString(", ")
			}
			ps.print(e)
			first = false
		}
		ps.endScope(')')
	}
}

func (q *Qualifier) clone() compound { return shallow(q) }
func (q *Qualifier) parts(v visitor) { v.list(&q.Exprs) }

// TypeWithQualifiers is a type with standard qualifiers.
type TypeWithQualifiers struct {
	Base       AST
	Qualifiers AST
}

func (twq *TypeWithQualifiers) print(ps *printState) {
	// Give the base type a chance to print the inner types.
	ps.inner = append(ps.inner, twq)
	ps.print(twq.Base)
	if len(ps.inner) > 0 {
		// The qualifier wasn't printed by Base.
		ps.writeByte(' ')
		ps.print(twq.Qualifiers)
		// In implausible situations like a throw qualified by a throw,
		// we may have printed the qualifier already,
		// so check the length of ps.inner again.
		if len(ps.inner) > 0 {
			ps.inner = ps.inner[:len(ps.inner)-1]
		}
	}
}

// Print qualifiers as an inner type by just printing the qualifiers.
func (twq *TypeWithQualifiers) printInner(ps *printState) {
	ps.writeByte(' ')
	ps.print(twq.Qualifiers)
}

func (twq *TypeWithQualifiers) clone() compound { return shallow(twq) }
func (twq *TypeWithQualifiers) parts(v visitor) {
	v.part(&twq.Base)
	v.part(&twq.Qualifiers)
}

// MethodWithQualifiers is a method with qualifiers.
type MethodWithQualifiers struct {
	Method       AST
	Qualifiers   AST
	RefQualifier string // "" or "&" or "&&"
}

func (mwq *MethodWithQualifiers) print(ps *printState) {
	// Give the base type a chance to print the inner types.
	ps.inner = append(ps.inner, mwq)
	ps.print(mwq.Method)
	if len(ps.inner) > 0 {
		mwq.printInner(ps)
		ps.inner = ps.inner[:len(ps.inner)-1]
	}
}

func (mwq *MethodWithQualifiers) printInner(ps *printState) {
	qualifiers, exceptions := mwq.Qualifiers, AST(nil)
	if ps.llvmStyle {
		qualifiers, exceptions = mwq.splitExceptions()
	}
	if qualifiers != nil {
		ps.writeByte(' ')
		ps.print(qualifiers)
	}
	if mwq.RefQualifier != "" {
		ps.writeByte(' ')
		ps.writeString(mwq.RefQualifier)
	}
	if exceptions != nil {
		ps.writeByte(' ')
		ps.print(exceptions)
	}
}

// splitExceptions separates the qualifiers of the object from an exception
// specification, which C++ has after the reference qualifier. Either may be nil.
func (mwq *MethodWithQualifiers) splitExceptions() (object, exceptions AST) {
	all, ok := mwq.Qualifiers.(*Qualifiers)
	if !ok {
		return mwq.Qualifiers, nil
	}
	var first, last Qualifiers
	for _, q := range all.Qualifiers {
		if n := q.(*Qualifier).Name; n == "noexcept" || n == "throw" {
			last.Qualifiers = append(last.Qualifiers, q)
		} else {
			first.Qualifiers = append(first.Qualifiers, q)
		}
	}
	if len(first.Qualifiers) > 0 {
		object = &first
	}
	if len(last.Qualifiers) > 0 {
		exceptions = &last
	}
	return object, exceptions
}

func (mwq *MethodWithQualifiers) clone() compound { return shallow(mwq) }
func (mwq *MethodWithQualifiers) parts(v visitor) {
	v.part(&mwq.Method)
	v.part(&mwq.Qualifiers)
}

// ObjCProtocolType is an Objective-C class, or id, that conforms to a protocol.
type ObjCProtocolType struct {
	Base     AST
	Protocol AST
}

func (pt *ObjCProtocolType) print(ps *printState) {
	ps.print(pt.Base)
	pt.printProtocol(ps)
}

func (pt *ObjCProtocolType) printProtocol(ps *printState) {
	ps.writeByte('<')
	ps.print(pt.Protocol)
	ps.writeByte('>')
}

// id reports whether a pointer to the type is an id.
func (pt *ObjCProtocolType) id() bool {
	n, ok := pt.Base.(*Name)
	return ok && n.Name == "objc_object"
}

func (pt *ObjCProtocolType) clone() compound { return shallow(pt) }
func (pt *ObjCProtocolType) parts(v visitor) {
	v.part(&pt.Base)
	v.part(&pt.Protocol)
}

// VendorQualifier is a type qualified by a vendor-specific qualifier.
type VendorQualifier struct {
	Qualifier AST
	Type      AST
}

func (vq *VendorQualifier) print(ps *printState) {
	if ps.llvmStyle {
		ps.print(vq.Type)
		vq.printInner(ps)
	} else {
		ps.inner = append(ps.inner, vq)
		ps.print(vq.Type)
		if len(ps.inner) > 0 {
			ps.printOneInner(nil)
		}
	}
}

func (vq *VendorQualifier) printInner(ps *printState) {
	ps.writeByte(' ')
	ps.print(vq.Qualifier)
}

func (vq *VendorQualifier) clone() compound { return shallow(vq) }
func (vq *VendorQualifier) parts(v visitor) {
	v.part(&vq.Qualifier)
	v.part(&vq.Type)
}
