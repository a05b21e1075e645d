// Package runtimes is for what a language runtime knows of its own stacks and the
// unwind tables of native code do not, with one directory for each runtime.
//
// # Who does what
//
// Package unwind first walks a stack as native code. A runtime adds to that in four
// steps. An [Instance] does the first three; package capture/managed calls it:
//
//	recognise  Which runtime does an image contain? Decided from the image alone, once:
//	           by a magic section, a symbol or a table. An image contains one runtime at
//	           most. A process may contain several, also of one kind: each is an instance.
//	attach     Where is its state, and what is the layout? Offsets come from the target's
//	           own tables if it has them, else from a table by version; which of the two
//	           is reported. What is read belongs to the instance, not to the process.
//	read       Which managed frames does a thread have? A frame chain on the heap is a
//	           task.Chain, and copied while the thread is stopped. What does not change
//	           while a function runs (its name, its lines) is read afterwards, through
//	           task.Memory alone, so that live processes and cores share the code. A
//	           recording has the frames. A chain of a thread that was not stopped is
//	           believed only if it begins as before when it has been copied.
//	join       Where do these frames belong? unwind.Join puts one segment of managed frames
//	           in place of each native frame of the interpreter's loop; the native frames
//	           above and below it stay in order. Where the numbers of the two do not
//	           match, the native frames stay alone.
//
// An Instance also reads the runtime's locks, such as the GIL, for what threads wait for, and the
// names that it has for threads.
//
// Each step depends on those before it only: a reader does not search for images, and
// the walk does not know a runtime's structures.
//
// # Rules
//
// All input comes from the target and may be wrong. Lengths and chains are bounded,
// cycles end, and no allocation has an unchecked size. Where a runtime cannot be
// read, the native frames stay, with one line that says why. A frame that may be
// wrong is marked. While the target is stopped, nothing here runs but copies of bytes
// requested earlier. A process without a runtime pays only for recognising, once an
// image.
//
// # What is here
//
// Package goswitch is the precedent, for joining alone: it leads the walk from a
// thread's own stack back to the goroutine that called C there. It is a rule.Rule, as
// for native code, because all it needs is on the captured stack. Package unwind asks
// it at runtime.asmcgocall (unwind/goruntime.go, goAway). The other functions of Go's
// runtime at which a stack begins or changes are listed there.
//
// Package cpython recognises CPython, attaches to it and reads the Python frames of its
// threads, and the tasks of asyncio that no thread runs.
//
// Package golang reads the goroutines that no thread runs. Their frames are native:
// package unwind walks them from the registers that Go's scheduler has saved. As a [Scheduler] it says which
// goroutine a thread runs.
//
// The frames of Go programs are native, and images/golang names them. JIT-compiled
// code is named by the files that its compilers write for perf, which
// images/generated reads. Neither needs this package.
package runtimes
