// Package dwarf names code by the debugging information of compilers (DWARF 2 to
// 5): the function, file, line and column of an address, and the calls that were
// inlined there.
//
// Nothing is read before it is asked for, and of a section that is in a file no
// more than a window at once: first the ranges of the units (.debug_aranges, and
// of units that have none there the ranges of their root), then, of the one unit
// that an address is in, where its functions are, the inlined calls of the one
// function, and places in the line program from which it can be run on. The
// sections are little-endian.
//
// The standard library's debug/dwarf takes whole sections, parses the abbreviations
// of every unit beforehand, and makes a value of every attribute of every entry that
// is passed over: BenchmarkFirst is why its reader is not used here, but for the
// names of its constants.
package dwarf
