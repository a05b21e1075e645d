// Package dwarf reads the debugging information of compilers (DWARF 2 to 5): the
// function, file, line and column of an address, and the calls inlined there.
//
// Everything is read on demand, and a section in a file only a window at a time:
// first the ranges of the units (.debug_aranges, and the roots of units missing
// there); then, for the one unit that contains an address, the positions of its
// functions, the inlined calls of the one function, and marks from which the line
// program can be resumed. Sections are little-endian.
//
// The standard library's debug/dwarf reads whole sections, parses the abbreviations
// of every unit in advance, and allocates a value for every attribute that it skips.
// BenchmarkFirst shows why only the names of its constants are used here.
package dwarf
