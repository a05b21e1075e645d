// Package runtimes is the room for what a language's runtime knows of its own stacks,
// and the unwind tables of native code do not: one directory for each runtime.
//
// # Who does what
//
// A stack is walked as native code first, by package unwind. A runtime adds to that in
// four steps, each with an owner of its own:
//
//	recognise  Which runtime is in an image? Told from the image alone, once for each: a
//	           magic section, a symbol, a table. One image may hold one runtime, one
//	           process several, also of one kind: each is an instance of its own.
//	attach     Where is its state, and how is it laid out? Offsets come from the target's
//	           own tables where it has them, else from a table by version, and it is said
//	           which. What is read is kept with the instance, not with the process.
//	read       Which managed frames has this thread (or this task that no thread runs)?
//	           Read from task.Memory alone, so that a live process, a core and a
//	           recording are the same code. A frame chain on the heap may change while
//	           it is read: what it began with is read again afterwards, and a difference
//	           makes the stack torn.
//	join       Where do the frames belong? The walk asks at a frame that is the
//	           interpreter's loop or the runtime's own. That frame is replaced by one
//	           managed chain for each entry into the loop; native frames above and below
//	           it stay, in their order.
//
// The steps depend on one another in this order only: a reader does not look for
// images, and the walk does not know a runtime's structures.
//
// # Rules
//
// What is read is the target's, and may lie: lengths and chains are bounded, a cycle
// ends, nothing is allocated by a size that was not checked. Where a runtime cannot be
// read the native frames stay, with one line that says why. A frame that may be wrong
// is marked. Nothing here runs while the target is stopped, but the copying of bytes
// that was asked for before. A process without a runtime pays for the recognising, once
// an image.
//
// # What is here
//
// Package goswitch is the precedent, for joining alone: it leads the walk from a
// thread's own stack back to the goroutine which called C there. It is a rule.Rule, as
// for native code, because all that it needs stands on the captured stack. Package
// unwind asks it at runtime.asmcgocall (unwind/goruntime.go, goAway), and knows there
// the other functions of Go's runtime at which a stack begins or changes.
//
// The frames of Go programs are native, and are named by images/golang. The code of JIT
// compilers is named by the files that they write for perf, by images/generated. Neither
// needs this room.
package runtimes
