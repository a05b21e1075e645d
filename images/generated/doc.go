// Package generated names the code that JIT compilers make at run time, by files
// that they write as they do: what such files have in common, whatever their format
// (see images/perfmap, images/jitdump). Pieces of code are appended as they are made
// and moved: of several that cover an address, the last one holds.
//
// A file is the work of the target, or of anybody who can write to it: what it says
// is bounded, and names the code of no file.
package generated
