// Package managed knows the language runtimes of a process: where they are, what to copy of
// their threads in a stop, and which frames that gives. Package unwind/runtimes explains who
// does what.
package managed
