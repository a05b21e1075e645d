// Package top is the live view of a process that is sampled: its functions by the time
// in them, its threads with what they wait for, and the stack of one of them. A [Board]
// takes samples, a state says what of it is shown, a page is that in lines, and [Run]
// puts pages on a terminal.
package top
