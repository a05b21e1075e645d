// Package ptrace stops the threads of live Linux processes, and captures their registers
// and stacks. What is read without a stop is read by package procfs.
//
// # How a target is stopped
//
// Suspend attaches to every thread with PTRACE_SEIZE, which alone stops
// nothing, orders the stop with PTRACE_INTERRUPT, waits until all have stopped, and
// looks for threads that were created meanwhile until there are none. Resume
// detaches from each. Between two suspensions nothing is attached: a thread
// that is traced stops for its tracer at every signal, and the target must
// never wait for us.
//
// # Which stops are consumed
//
// A stop is found with WNOWAIT, which leaves it to be found again. A thread that stopped
// to deliver a signal keeps the signal's number until its stop is consumed, by a wait
// without WNOWAIT. Such a stop is never consumed, and so the signal is delivered whether
// we detach, which passes it on, or are killed, when the kernel lets the thread go on as
// if it had not been asked (ptrace_stop and wait_task_stopped, kernel/signal.c and
// kernel/exit.c). A stop by our order keeps nothing. It is consumed in one case: where
// several threads are stopped together, so that it is not found again.
//
// A thread in a group-stop (SIGSTOP, SIGTSTP…) moves to a traced stop when it is
// seized and back to its group-stop when it is let go (ptrace(2), "Group-stop",
// and __ptrace_unlink, kernel/ptrace.c).
package ptrace
