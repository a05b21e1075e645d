package mach

import (
	"time"

	"stacksnap/task"
)

// loaderPatience is how long to wait for the location of the loader's list. XNU replies at once.
// Other kernels wait until the program's loader has reported it, which never happens for a
// program before its exec or after its end.
const loaderPatience = 300 * time.Millisecond

// loaderAnswer is the result of task_info(TASK_DYLD_INFO).
type loaderAnswer struct {
	info dyldInfo
	ret  Return
}

// Loader implements [task.LoaderReader] by task_info(TASK_DYLD_INFO). Its error is a
// *[task.ExitedError] when the task has ended. That also happens when exec replaces the program,
// because the process then gets a new task (bsd/kern/kern_exec.c, proc_exec_switch_task).
func (p *Process) Loader() (task.Addr, int, error) {
	info, r := p.askLoader()
	if r != success {
		return 0, 0, p.taskError("task_info(TASK_DYLD_INFO)", r)
	}
	if info.is64 {
		return info.addr, 8, nil
	}
	return info.addr, 4, nil
}

// askLoader returns where dyld describes what it has loaded. A call that does not return in time
// is left to a thread of its own. Until that call returns, askLoader makes no other, and returns
// timedOut at once.
func (p *Process) askLoader() (dyldInfo, Return) {
	if p.asked != nil {
		select {
		case <-p.asked: // an earlier call has returned
		default:
			return dyldInfo{}, timedOut
		}
	}
	p.asked = askLoader(p.k, p.task)
	select {
	case a := <-p.asked:
		p.asked = nil
		return a.info, a.ret
	case <-p.k.after(loaderPatience):
		return dyldInfo{}, timedOut
	}
}

func askLoader(k kernel, t port) <-chan loaderAnswer {
	answer := make(chan loaderAnswer, 1) // buffered, because nobody may receive from it any more
	go func() {
		info, r := k.dyldInfo(t)
		answer <- loaderAnswer{info, r}
	}()
	return answer
}
