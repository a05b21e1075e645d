// Package capture turns a process into a profile: it takes snapshots, walks the stacks
// that they copied, and merges them.
//
// A target is a process that is captured, whichever way: what is mapped in it (tracker),
// the unwinder, the profile and the recording. Two modes stop it. A shot ([OneShot],
// [OneShots], [Series]) stops all threads at one instant, and again for longer copies, until
// every stack is whole; a thread in unknown code is shown as such. A recorder
// ([Record], [InTurn]) stops threads often and for as short as can be; a sample in unknown
// code is left out, and the next snapshot copies what this one lacked.
// [Replay] walks what a recording has, where there is no process to follow.
//
// What seems to be there twice: [KernelThreads] and package stackshots have stacks that the
// kernel walked, of processes that are not opened. A survey (--system) is [OneShots] or
// [InTurn] of all processes with nothing stopped. [task.SuspendTogether] is a recorder's only
// way to sample many threads that are ready to run: 0.7 ms, not 40, for 64 of them.
package capture
