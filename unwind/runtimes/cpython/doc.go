// Package cpython reads the Python frames of CPython's threads.
//
// [Find] recognises an image by the section of the runtime's state, or by its symbol,
// and learns the layout from the table that the state begins with (3.13 and later), or
// from a table by version (3.8 to 3.12). [Instance.Chains] lists the thread states, and
// what to copy of each in the stop: the state, and the frames that it leads to. After the
// stop, [Instance.Frames] reads the functions, files and lines of the copied frames from
// their code objects, which do not change.
//
// # Frames and entries
//
// Up to 3.10 each Python frame has a native frame of the interpreter's loop. From 3.11 on
// a Python function called by another has none: the loop runs a chain of frames, and the
// outermost is an entry. 3.11 marks it with a flag. Later versions put a frame that runs no
// function (a shim) below it.
//
// Frames that a traceback does not show are left out: those whose function has not
// reached its first traceable instruction, shims, and those of generated code.
//
// # Tasks
//
// [Instance.Tasks] reads the tasks of asyncio that no thread runs, while the process runs:
// all of them twice, and once more if some changed. A coroutine contains its frame, and
// awaits the object on top of that frame's stack. The chain ends with a future, or with an
// object of another library. Offsets that are in no table of the target depend on the
// version, and an object is read only if its type has the expected name.
//
// # Names of threads
//
// [Instance.ThreadNames] reads the dict threading._active, of threads by what pthread_self
// returns in them, and the attribute _name of each, twice.
//
// # Damage
//
// All that is read may be wrong. Strings, tables and chains have limits, and cycles end. So
// have the memory and the work of a reading, and what is kept between readings. A code object
// is read only if its type has the expected name and size: in a build with another layout the
// size differs. What is found to be wrong is an error, never a frame.
package cpython
