// Package analysis makes rules from the instructions of a function. It covers the
// prologues and epilogues that unwind tables leave out, and functions without tables.
//
// It follows the control flow from the function's start and keeps, for each
// instruction, what is known of the registers on every path to it: how far sp is from
// the canonical frame address, and where the return address and the saved registers
// are. Where paths disagree it returns no rule but the reason.
//
// For each architecture there is a file of registers and control flow, such as arm64.go;
// what an instruction does to the frame is in arm64effect.go, loads and stores in
// arm64memory.go.
package analysis
