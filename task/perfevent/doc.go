// Package perfevent has the Linux kernel copy a thread's registers and the innermost
// part of its stack while the thread runs, without stopping it: with a software event
// of perf_event_open(2) for each thread, whose timer counts the thread's CPU time.
//
// The kernel writes the copies to a ring buffer from its end to its start and
// overwrites the oldest ones (write_backward, and a read-only mapping). So the newest
// copy is always at data_head, none is lost for lack of space, and no reader has to
// keep up. Each thread has its own event and ring: threads that the target starts
// cost it nothing more until they are seen to run.
package perfevent
