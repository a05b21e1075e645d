// Package perfevent has the Linux kernel copy a thread's registers and the innermost
// part of its stack as the thread runs, with nothing stopped: a software event of
// perf_event_open(2) for each thread, whose timer goes by the thread's CPU time.
//
// The kernel writes the copies into a ring of memory from the end to the start and
// over the oldest of them (write_backward, and a mapping that only reads), so that the
// newest stands at data_head whenever it is asked for, none is lost for want of
// room, and nobody has to keep up. Rings are of one thread each, and so is an event:
// threads that the target starts cost it nothing more until they are seen to run.
package perfevent
