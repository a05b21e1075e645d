package python

// wait is what a thread waits for in some functions of Python's library.
type wait struct {
	calls []string // the innermost calls, outermost first: the end of a file's path and a qualified name
	in    []blocker
	says  string
}

// Files of Python's library.
const (
	threadingFile = "/threading.py:"
	queueFile     = "/queue.py:"
	futureFile    = "/concurrent/futures/_base.py:"
	executorFile  = "/concurrent/futures/thread.py:"
	processFile   = "/subprocess.py:"
	pipeFile      = "/multiprocessing/connection.py:"

	conditionWait = threadingFile + "Condition.wait"
	eventWait     = threadingFile + "Event.wait"
	threadJoin    = threadingFile + "Thread.join"
	joinByLock    = threadingFile + "Thread._wait_for_tstate_lock" // up to 3.12
)

// Waits for the library's own locks.
const (
	conditionLock = "for the lock of a Condition"
	moduleLock    = "for another thread to import a module"
)

var (
	anyLocks  = []blocker{inLock, inRLock, inAnyLock, inMutex}
	joins     = []blocker{inJoin, inLock, inAnyLock, inMutex}
	queueGets = []blocker{inSimpleQueue, inAnyLock, inMutex}
	reads     = []blocker{inRead}
	children  = []blocker{inChildWait}
)

// known are the waits of all versions from 3.8 on. If several match, the one with the most calls
// is used.
var known = []wait{
	{[]string{conditionWait}, anyLocks, "in Condition.wait"},
	{[]string{threadingFile + "Condition.wait_for", conditionWait}, anyLocks, "in Condition.wait_for"},
	{[]string{threadingFile + "Condition.__enter__"}, anyLocks, conditionLock},
	{[]string{eventWait, conditionWait}, anyLocks, "in Event.wait"},
	{[]string{threadingFile + "Semaphore.acquire", conditionWait}, anyLocks, "in Semaphore.acquire"},
	{[]string{threadingFile + "Barrier.wait", threadingFile + "Barrier._wait", threadingFile + "Condition.wait_for", conditionWait}, anyLocks, "in Barrier.wait"},
	{[]string{threadingFile + "Barrier.wait", threadingFile + "Barrier._enter", conditionWait}, anyLocks, "in Barrier.wait"},
	{[]string{threadJoin, joinByLock}, joins, "for a thread to end (Thread.join)"},
	{[]string{threadJoin}, []blocker{inJoin, inMutex}, "for a thread to end (Thread.join)"},
	{[]string{threadingFile + "_shutdown"}, joins, "for other threads to end before the program does"},
	{[]string{threadingFile + "_shutdown", joinByLock}, joins, "for other threads to end before the program does"},

	{[]string{queueFile + "Queue.get", conditionWait}, anyLocks, "in Queue.get"},
	{[]string{queueFile + "Queue.put", conditionWait}, anyLocks, "in Queue.put"},
	{[]string{queueFile + "Queue.join", conditionWait}, anyLocks, "in Queue.join"},

	{[]string{futureFile + "Future.result", conditionWait}, anyLocks, "in Future.result"},
	{[]string{futureFile + "Future.exception", conditionWait}, anyLocks, "in Future.exception"},
	{[]string{futureFile + "wait", eventWait, conditionWait}, anyLocks, "in concurrent.futures.wait"},
	{[]string{futureFile + "as_completed", eventWait, conditionWait}, anyLocks, "in concurrent.futures.as_completed"},
	{[]string{executorFile + "_worker"}, queueGets, "for work of a ThreadPoolExecutor"},
	{[]string{executorFile + "ThreadPoolExecutor.shutdown", threadJoin}, []blocker{inJoin, inMutex}, "in ThreadPoolExecutor.shutdown"},
	{[]string{executorFile + "ThreadPoolExecutor.shutdown", threadJoin, joinByLock}, joins, "in ThreadPoolExecutor.shutdown"},

	{[]string{processFile + "Popen.wait", processFile + "Popen._wait", processFile + "Popen._try_wait"}, children, "in Popen.wait"},
	{[]string{processFile + "Popen.communicate"}, reads, "in Popen.communicate"},
	{[]string{"/multiprocessing/process.py:BaseProcess.join", "/multiprocessing/popen_fork.py:Popen.wait", "/multiprocessing/popen_fork.py:Popen.poll"}, children, "in Process.join"},
	{[]string{pipeFile + "_ConnectionBase.recv", pipeFile + "Connection._recv_bytes", pipeFile + "Connection._recv"}, reads, "in Connection.recv"},
	{[]string{pipeFile + "_ConnectionBase.recv_bytes", pipeFile + "Connection._recv_bytes", pipeFile + "Connection._recv"}, reads, "in Connection.recv_bytes"},
	{[]string{"/multiprocessing/queues.py:Queue.get", pipeFile + "_ConnectionBase.recv_bytes", pipeFile + "Connection._recv_bytes", pipeFile + "Connection._recv"}, reads, "in multiprocessing.Queue.get"},
	{[]string{"/multiprocessing/pool.py:ApplyResult.get", "/multiprocessing/pool.py:ApplyResult.wait", eventWait, conditionWait}, anyLocks, "for a result of a multiprocessing.Pool"},

	{[]string{"importlib._bootstrap>:_ModuleLock.acquire"}, anyLocks, moduleLock},
}
