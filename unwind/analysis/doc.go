// Package analysis makes rules from the instructions of a function. It covers the
// prologues and epilogues that unwind tables leave out, and functions without tables.
//
// It follows the control flow from the function's start and keeps, for each
// instruction, what is known of the registers on every path to it: how far sp is from
// the canonical frame address, and where the return address and the saved registers
// are. Where paths disagree it returns no rule but the reason.
package analysis
