// Package capture turns a process into a profile: it takes snapshots, walks the stacks that they
// copied, and merges them.
//
// A target is a process under capture, in whatever mode: its mappings (tracker), the unwinder,
// the profile and the recording. There are two modes of stopping it. A shot ([OneShot],
// [OneShots], [Series]) stops all threads at one instant, and again for longer copies, until
// every stack is complete; it shows a thread in unknown code as such. A recorder ([Record],
// [InTurn]) stops threads often, each time as briefly as possible; it leaves out a sample in
// unknown code, and the next snapshot copies what this one lacked. [Replay] walks the contents
// of a recording, for which there is no process to track.
//
// Some things only look like duplicates. [KernelThreads] and package stackshots have stacks that
// the kernel walked, of processes that are not opened. A survey (--system) is [OneShots] or
// [InTurn] for all processes, with nothing stopped. [task.SuspendTogether] is the only way for a
// recorder to sample many threads that are ready to run: it takes 0.7 ms, not 40, for 64 of
// them.
package capture
