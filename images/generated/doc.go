// Package generated reads files in which JIT compilers name the code that they
// generate. It has what all formats share (see images/perfmap, images/jitdump).
// Entries are appended as code is generated and moved; where several cover an
// address, the last one counts.
//
// The target, or anyone who can write the file, controls its contents. So its size is
// bounded, and its names never apply to code that is mapped from a file.
package generated
