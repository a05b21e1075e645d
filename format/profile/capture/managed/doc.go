// Package managed finds the language runtimes of a process, requests what to copy of their
// threads in a stop, and joins the frames in the copies with the native stacks. Package
// unwind/runtimes explains who does what.
package managed
