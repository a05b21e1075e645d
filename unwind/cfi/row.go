package cfi

import "stacksnap/task"

// kind says what a column of a row holds (DWARF 5, 6.4.1).
type kind uint8

const (
	unspecified   kind = iota // no instruction spoke of it: as same, by convention
	undefined                 // not recoverable; of the return address: no caller
	same                      // unchanged
	offset                    // *(cfa + off)
	valOffset                 // cfa + off
	register                  // reg + off; off is 0 but in the CFA's own rule
	expression                // *(expression)
	valExpression             // expression
)

// column is the rule of one register, or of the CFA (register, valExpression).
type column struct {
	kind kind
	reg  uint8 // noRegister: one that is not kept
	n    int32 // bytes of the expression, at off in the section
	off  int64
}

// noRegister stands for a register beyond those that [task.Registers] holds.
const noRegister = 0xff

// row is one line of the table that an FDE describes.
type row struct {
	cfa     column
	columns [task.MaxRegisters]column
	// signed: the return address carries an authentication code (AADWARF64, 4.6,
	// RA_SIGN_STATE).
	signed bool
}
