package mach

import (
	"time"

	"stacksnap/task"
)

// loaderPatience is how long is waited for where the loader has its list. XNU
// tells at once. Other kernels wait until the program's loader has told them,
// which that of a program before its exec, or after its end, never does.
const loaderPatience = 300 * time.Millisecond

// loaderAnswer is what task_info(TASK_DYLD_INFO) answered.
type loaderAnswer struct {
	info dyldInfo
	ret  Return
}

// Loader implements [task.LoaderReader]: task_info(TASK_DYLD_INFO). Its error is
// a *[task.ExitedError] when the task has ended, as it does when the program is
// replaced by exec: the process has a new task then (bsd/kern/kern_exec.c,
// proc_exec_switch_task).
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

// askLoader asks where dyld describes what it has loaded. A question that is not
// answered in time is left behind, on a thread of its own, and until it is
// answered there is no other: timedOut, at once then.
func (p *Process) askLoader() (dyldInfo, Return) {
	if p.asked != nil {
		select {
		case <-p.asked: // of some time ago
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
	answer := make(chan loaderAnswer, 1) // which may be wanted no more
	go func() {
		info, r := k.dyldInfo(t)
		answer <- loaderAnswer{info, r}
	}()
	return answer
}
