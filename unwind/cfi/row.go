package cfi

import "stacksnap/task"

// kind is how a column of a row computes its value (DWARF 5, 6.4.1).
type kind uint8

const (
	unspecified   kind = iota // no instruction set it: by convention, as same
	undefined                 // not recoverable; for the return address: there is no caller
	same                      // unchanged
	offset                    // *(cfa + off)
	valOffset                 // cfa + off
	register                  // reg + off; off is 0 except in the CFA's own rule
	expression                // *(expression)
	valExpression             // expression
)

// column is the rule of one register, or of the CFA (register, valExpression).
type column struct {
	kind kind
	reg  uint8 // noRegister: not in [task.Registers]
	n    int32 // bytes of the expression, at off in the section
	off  int64
}

// noRegister means a register that [task.Registers] does not hold.
const noRegister = 0xff

// row is one row of the table that an FDE describes.
type row struct {
	cfa     column
	columns [task.MaxRegisters]column
	// signed: the return address contains an authentication code (AADWARF64, 4.6,
	// RA_SIGN_STATE).
	signed bool
}
