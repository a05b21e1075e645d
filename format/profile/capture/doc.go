// Package capture turns a process into a profile: it takes snapshots, walks the stacks
// that they copied, and merges them.
//
// A target is a process that is captured, whichever way: what is mapped in it (tracker),
// the unwinder, the profile and the recording. Two modes stop it. A shot ([OneShot],
// [OneShots], [Series]) stops all threads at one instant, and again for longer copies, until
// every stack is whole; a thread of which the code is not known is shown as such. A recorder
// ([Record], [Steps]) stops threads often and for as short as can be; a sample of which
// that is so is left out, and the next snapshot copies what this one lacked. [Replay] walks
// what a recording has of a target that is there no more.
package capture
