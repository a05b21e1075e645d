package cfi

import "fmt"

// Operations (DWARF 5, table 7.9).
const (
	dwAddr        = 0x03
	dwDeref       = 0x06
	dwConst1u     = 0x08
	dwConst1s     = 0x09
	dwConst2u     = 0x0a
	dwConst2s     = 0x0b
	dwConst4u     = 0x0c
	dwConst4s     = 0x0d
	dwConst8u     = 0x0e
	dwConst8s     = 0x0f
	dwConstu      = 0x10
	dwConsts      = 0x11
	dwDup         = 0x12
	dwDrop        = 0x13
	dwOver        = 0x14
	dwPick        = 0x15
	dwSwap        = 0x16
	dwRot         = 0x17
	dwAbs         = 0x19
	dwAnd         = 0x1a
	dwDiv         = 0x1b
	dwMinus       = 0x1c
	dwMod         = 0x1d
	dwMul         = 0x1e
	dwNeg         = 0x1f
	dwNot         = 0x20
	dwOr          = 0x21
	dwPlus        = 0x22
	dwPlusUconst  = 0x23
	dwShl         = 0x24
	dwShr         = 0x25
	dwShra        = 0x26
	dwXor         = 0x27
	dwBra         = 0x28
	dwEq          = 0x29
	dwGe          = 0x2a
	dwGt          = 0x2b
	dwLe          = 0x2c
	dwLt          = 0x2d
	dwNe          = 0x2e
	dwSkip        = 0x2f
	dwLit0        = 0x30
	dwLit31       = 0x4f
	dwReg0        = 0x50
	dwReg31       = 0x6f
	dwBreg0       = 0x70
	dwBreg31      = 0x8f
	dwRegx        = 0x90
	dwBregx       = 0x92
	dwDerefSize   = 0x94
	dwNop         = 0x96
	dwLastBinary  = dwNe
	dwFirstBinary = dwAnd
)

// step executes one operation.
func (e *evaluator) step(c *cursor, op uint8) error {
	switch {
	case op >= dwLit0 && op <= dwLit31:
		return e.pushNumber(uint64(op - dwLit0))
	case op >= dwReg0 && op <= dwReg31:
		return e.pushRegister(uint64(op-dwReg0), 0)
	case op >= dwBreg0 && op <= dwBreg31:
		return e.pushRegister(uint64(op-dwBreg0), c.sleb())
	case op == dwAddr || op >= dwConst1u && op <= dwConsts:
		return e.pushNumber(c.constant(op, e.sec.pointerSize))
	case op >= dwDup && op <= dwRot:
		return e.arrange(c, op)
	}
	switch op {
	case dwRegx:
		return e.pushRegister(c.uleb(), 0)
	case dwBregx:
		return e.pushRegister(c.uleb(), c.sleb())
	case dwDeref:
		return e.deref(e.sec.pointerSize)
	case dwDerefSize:
		return e.deref(int(c.u8()))
	case dwSkip, dwBra:
		return e.jump(c, op)
	case dwNop:
		return nil
	}
	return e.compute(c, op)
}

// constant reads the operand of an operation that pushes it.
func (c *cursor) constant(op uint8, pointerSize int) uint64 {
	switch op {
	case dwAddr:
		return c.pointer(pointerSize)
	case dwConst1u:
		return uint64(c.u8())
	case dwConst1s:
		return uint64(int8(c.u8()))
	case dwConst2u:
		return uint64(c.u16())
	case dwConst2s:
		return uint64(int16(c.u16()))
	case dwConst4u:
		return uint64(c.u32())
	case dwConst4s:
		return uint64(int32(c.u32()))
	case dwConst8u, dwConst8s:
		return c.u64()
	case dwConstu:
		return c.uleb()
	}
	return uint64(c.sleb())
}

// arrange reorders values on the stack.
func (e *evaluator) arrange(c *cursor, op uint8) error {
	need := 1
	switch op {
	case dwOver, dwSwap:
		need = 2
	case dwRot:
		need = 3
	case dwPick:
		need = int(c.u8()) + 1
	}
	if e.depth < need {
		return fmt.Errorf("%w: a value is missing", errExpression)
	}
	top := e.terms[e.depth-need : e.depth]
	switch op {
	case dwDup, dwOver, dwPick:
		return e.push(top[0])
	case dwDrop:
		e.depth--
	case dwSwap:
		top[0], top[1] = top[1], top[0]
	case dwRot: // the top of the stack becomes the third
		top[0], top[1], top[2] = top[2], top[0], top[1]
	}
	return nil
}

// jump skips forward or back; dwBra only if the top is not 0.
func (e *evaluator) jump(c *cursor, op uint8) error {
	by := int(int16(c.u16()))
	if op == dwBra {
		cond, err := e.popNumber()
		if err != nil {
			return err
		}
		if cond == 0 {
			return nil
		}
	}
	// The cursor holds just the expression.
	if to := c.pos + by; to < 0 || to > len(c.data) {
		return fmt.Errorf("%w: jump out of it", errExpression)
	}
	c.pos += by
	return nil
}

// compute executes arithmetic operations.
func (e *evaluator) compute(c *cursor, op uint8) error {
	switch op {
	case dwPlusUconst:
		t, err := e.pop()
		if err != nil {
			return err
		}
		return e.pushTerm(t.plus(c.uleb()))
	case dwAbs, dwNeg, dwNot:
		a, err := e.popNumber()
		if err != nil {
			return err
		}
		return e.pushNumber(e.unary(op, a))
	}
	if op < dwFirstBinary || op > dwLastBinary {
		return fmt.Errorf("%w: operation %#x is not known", errExpression, op)
	}
	b, err := e.pop()
	if err != nil {
		return err
	}
	a, err := e.pop()
	if err != nil {
		return err
	}
	return e.binary(op, a, b)
}

// pushTerm pushes t, or fails if !ok.
func (e *evaluator) pushTerm(t term, ok bool) error {
	if !ok {
		return errSymbolic
	}
	return e.push(t)
}

func (e *evaluator) unary(op uint8, a uint64) uint64 {
	switch {
	case op == dwNot:
		return ^a
	case op == dwNeg || e.signed(a) < 0:
		return -a
	}
	return a
}

// signed sign-extends a number of the target's pointer size.
func (e *evaluator) signed(a uint64) int64 {
	if e.sec.pointerSize == 4 {
		return int64(int32(a))
	}
	return int64(a)
}

func (e *evaluator) binary(op uint8, a, b term) error {
	switch op {
	case dwPlus:
		return e.pushTerm(add(a, b))
	case dwMinus:
		return e.pushTerm(subtract(a, b))
	}
	if a.kind != number || b.kind != number {
		return errSymbolic
	}
	if op >= dwEq {
		if e.compare(op, a.n, b.n) {
			return e.pushNumber(1)
		}
		return e.pushNumber(0)
	}
	if b.n == 0 && (op == dwDiv || op == dwMod) {
		return fmt.Errorf("%w: division by zero", errExpression)
	}
	return e.pushNumber(e.arithmetic(op, a.n, b.n))
}

func (e *evaluator) compare(op uint8, a, b uint64) bool {
	x, y := e.signed(a), e.signed(b)
	switch op {
	case dwEq:
		return x == y
	case dwGe:
		return x >= y
	case dwGt:
		return x > y
	case dwLe:
		return x <= y
	case dwLt:
		return x < y
	}
	return x != y
}

func (e *evaluator) arithmetic(op uint8, a, b uint64) uint64 {
	switch op {
	case dwAnd:
		return a & b
	case dwDiv:
		return uint64(e.signed(a) / e.signed(b))
	case dwMod:
		return a % b
	case dwMul:
		return a * b
	case dwOr:
		return a | b
	case dwShl:
		return a << b
	case dwShr:
		return a >> b
	case dwShra:
		return uint64(e.signed(a) >> b)
	}
	return a ^ b
}
