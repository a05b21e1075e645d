// Package ptrace stops the threads of live Linux processes, and captures their registers and
// stacks. Package procfs reads what can be read without a stop.
//
// # How a target is stopped
//
// Suspend attaches to every thread with PTRACE_SEIZE, which does not stop it, orders the stop
// with PTRACE_INTERRUPT, waits until all have stopped, and looks for new threads until there are
// none. Resume detaches from each. Between two suspensions nothing is attached: a traced thread
// stops for its tracer at every signal, and the target must never wait for us.
//
// # Which stops are consumed
//
// A stop is found with WNOWAIT, so that a later wait finds it again. A thread that stopped to
// deliver a signal keeps the signal's number until its stop is consumed, by a wait without
// WNOWAIT. Such a stop is never consumed. So the signal is delivered in both cases: if we
// detach, because we pass it on, and if we are killed, because the kernel then lets the thread
// go on as if it had not been traced (ptrace_stop and wait_task_stopped, kernel/signal.c and
// kernel/exit.c). A stop that we ordered keeps no signal. It is consumed in one case: where
// several threads are stopped together, so that it is not found again.
//
// A thread in a group-stop (SIGSTOP, SIGTSTP…) moves to a traced stop when it is seized and back
// to its group-stop when it is released (ptrace(2), "Group-stop", and __ptrace_unlink,
// kernel/ptrace.c).
package ptrace
