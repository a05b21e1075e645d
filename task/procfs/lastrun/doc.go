// Package lastrun finds how long blocked Linux threads have not run.
//
// The kernel records when a thread last ran: se.exec_start, in /proc/PID/task/TID/sched, which
// is set when a thread is scheduled in, at each tick and when it is scheduled out (update_curr,
// kernel/sched/fair.c, and likewise in the other classes). It is a time of clock_task, which
// each processor has. That clock does not count the time taken by interrupts and a hypervisor
// (update_rq_clock_task, kernel/sched/core.c), so the clocks of two processors may differ by
// hours. On one processor it never runs faster than time. A thread of ours that moves to that
// processor reads in its own exec_start what the clock shows, or showed up to a tick ago. So the
// difference is a lower bound, and it is reported as one.
//
// A blocked thread is not moved: the processor in its stat file is the one on which it last ran.
package lastrun
