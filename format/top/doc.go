// Package top is the live view of a sampled process: its functions by time, its threads
// with their waits, and one stack. A [Board] accumulates samples, a state selects what to
// show, a page is the text of it, and [Run] draws pages on a terminal.
package top
