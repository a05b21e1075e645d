// Package lastrun finds for how long blocked threads of Linux have not run.
//
// The kernel keeps when a thread ran last: se.exec_start, in /proc/PID/task/TID/sched, which is set
// when a thread is scheduled in, at each tick and when it is scheduled out (update_curr,
// kernel/sched/fair.c, and likewise in the other classes). It is a time of clock_task, of which each
// processor has one: what interrupts and a hypervisor have taken is left out of it (update_rq_clock_task,
// kernel/sched/core.c), so those of two processors may differ by hours. On one processor it never
// runs faster than time. A thread of ours that is moved there finds in its own exec_start what that
// clock says, or said up to a tick ago. So the difference is a lower bound, and it is given as one.
//
// A blocked thread is not moved: the processor in its stat file is the one that it ran on last.
package lastrun
