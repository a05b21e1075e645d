// Package analysis makes rules from the instructions of a function: what unwind
// tables do not say of prologues and epilogues, and all there is to know of
// functions that have none.
//
// It follows the flow of control from the function's start and keeps, for each
// place, what is known of the registers whichever way it was reached: how far sp
// is from the canonical frame address, where the return address and the saved
// registers are. It answers where all ways agree, and otherwise declines with
// the reason.
package analysis
