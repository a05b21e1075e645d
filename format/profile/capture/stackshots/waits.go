package stackshots

import (
	"fmt"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/task/stackshot"
)

// people has all threads and processes of a stackshot.
type people struct {
	threads   map[task.ThreadID]person
	processes map[int]string // names, by pid
}

type person struct {
	process *stackshot.Process
	name    string
}

func everybody(all []*stackshot.Process) people {
	who := people{map[task.ThreadID]person{}, map[int]string{}}
	for _, p := range all {
		info := p.Info()
		who.processes[info.PID] = info.Name
		ids, _ := p.Threads() // it never fails
		for _, id := range ids {
			var t task.Thread
			if p.Describe(id, &t) == nil {
				who.threads[id] = person{p, t.Name}
			}
		}
	}
	return who
}

// looks returns what threads of a process wait for. It also has an entry for each thread
// that the stackshot does not mention, so that a later observation replaces an earlier one.
func (who *people) looks(p *stackshot.Process, s *task.Snapshot) []profile.Look {
	waits := map[task.ThreadID]*profile.Wait{}
	for _, w := range p.Waits() {
		waits[w.Waiter] = who.wait(p, &w)
	}
	looks := make([]profile.Look, 0, len(s.Threads))
	for i := range s.Threads {
		id := s.Threads[i].ID
		looks = append(looks, profile.Look{Thread: id, Wait: waits[id]})
	}
	return looks
}

// waitForms describes the kinds of waits: a call that leads to them, a kind of lock, and the
// object.
var waitForms = map[stackshot.WaitKind]struct {
	call   string
	lock   profile.LockKind
	object string
	named  bool // people know the object by its context
}{
	stackshot.KernelMutex:          {lock: profile.KernelMutex},
	stackshot.PortReceive:          {call: "mach_msg", object: "a message on a port"},
	stackshot.PortSetReceive:       {call: "mach_msg", object: "a message on a set of ports"},
	stackshot.PortSend:             {call: "mach_msg", object: "to send to a port that is full"},
	stackshot.PortSendInTransit:    {call: "mach_msg", object: "to send to a port that is in a message itself"},
	stackshot.Semaphore:            {call: "semaphore_wait", object: "semaphore", named: true},
	stackshot.KernelRWLockRead:     {lock: profile.KernelReadWrite},
	stackshot.KernelRWLockWrite:    {lock: profile.KernelReadWrite},
	stackshot.KernelRWLockUpgrade:  {lock: profile.KernelReadWrite},
	stackshot.UserLock:             {call: "ulock_wait", lock: profile.UnfairLock},
	stackshot.PthreadMutex:         {call: "psynch_mutexwait", lock: profile.Mutex},
	stackshot.PthreadRWLockRead:    {call: "psynch_rw_rdlock", lock: profile.ReadWrite},
	stackshot.PthreadRWLockWrite:   {call: "psynch_rw_wrlock", lock: profile.ReadWrite},
	stackshot.PthreadCondition:     {call: "psynch_cvwait", object: "condition variable", named: true},
	stackshot.ParkedWorkQueue:      {call: "workq_kernreturn"},
	stackshot.ParkedBoundWorkQueue: {call: "workq_kernreturn"},
	stackshot.WorkloopSync:         {call: "kevent_id", lock: profile.Queue},
	stackshot.OnProcess:            {call: "wait4"},
	stackshot.SleepWithInheritor:   {lock: profile.KernelLock},
	stackshot.EventLink:            {call: "mach_eventlink_wait_until", object: "a signal"},
	stackshot.Compressor:           {lock: profile.KernelLock, object: "of compressed memory"},
	stackshot.PageBusy:             {call: profile.PageFault, object: "a page that is busy"},
	stackshot.PagerInit:            {call: profile.PageFault, object: "a pager that begins"},
	stackshot.PagerReady:           {call: profile.PageFault, object: "a pager that is not ready"},
	stackshot.PagingActivity:       {call: profile.PageFault, object: "memory that is paged"},
	stackshot.MappingInProgress:    {call: profile.PageFault, object: "memory that is mapped"},
	stackshot.MemoryBlocked:        {call: profile.PageFault, object: "memory that is blocked"},
	stackshot.PagingInProgress:     {call: profile.PageFault, object: "memory that is paged"},
	stackshot.PageInThrottle:       {call: profile.PageFault, object: "memory whose paging is slowed down"},
}

// wait returns what a thread waits for in the profile's terms; nil if these have none for it.
func (who *people) wait(p *stackshot.Process, from *stackshot.Waiting) *profile.Wait {
	form, ok := waitForms[from.Kind]
	if !ok {
		return nil
	}
	w := &profile.Wait{Call: form.call, Lock: form.lock, Object: form.object}
	context := task.Addr(from.Context)
	switch {
	case w.Lock != profile.NoLock:
		w.Addr = context
	case form.named && context != 0:
		w.Object = join(form.object, context.String())
	}
	if from.Kind == stackshot.UserLock && from.Owner == 0 { // a word of memory, not a lock
		w.Lock, w.Addr, w.Object = profile.NoLock, 0, fmt.Sprintf("word %v", context)
	}
	switch from.Kind {
	case stackshot.PortReceive, stackshot.PortSend:
		who.port(w, from)
	case stackshot.OnProcess:
		who.child(w, from)
	case stackshot.WorkloopSync:
		w.Object = workloops[from.Owner]
	case stackshot.Semaphore:
		if name := who.process(from.PID); name != "" {
			w.Object += " of " + name
		}
	}
	who.owner(p, w, from)
	return w
}

// workloops has the phrases for work loops that no thread owns.
var workloops = map[uint64]string{
	stackshot.OwnerRequested: "for which there is no thread yet",
	stackshot.OwnerSuspended: "that is suspended",
}

// port describes a Mach port: its service, and the process that receives from it or must reply.
func (who *people) port(w *profile.Wait, from *stackshot.Waiting) {
	if from.Reply {
		w.Object = "a reply"
	}
	if from.Service != "" {
		w.Object += " of " + from.Service
	}
	switch {
	case from.Owner == stackshot.OwnerKernel:
		w.Object += ", from which the kernel reads"
	case from.PID != 0 && from.Kind == stackshot.PortSend:
		w.Peer = profile.Peer{PID: from.PID, Name: who.processes[from.PID], Action: profile.Read}
	case from.PID != 0 && from.Reply:
		w.Peer = profile.Peer{PID: from.PID, Name: who.processes[from.PID], Action: profile.Reply}
	}
}

// child describes the argument of wait4.
func (who *people) child(w *profile.Wait, from *stackshot.Waiting) {
	pid := int64(from.Owner)
	switch {
	case from.PID != 0:
		w.Peer = profile.Peer{PID: from.PID, Name: who.processes[from.PID], Action: profile.End}
		w.Object = fmt.Sprintf("process %d to end", from.PID)
	case pid < -1:
		w.Object = fmt.Sprintf("a process of group %d to end", -pid)
	default:
		w.Object = "a child process to end"
	}
}

// process names a process for people; empty if it is not known.
func (who *people) process(pid int) string {
	name, ok := who.processes[pid]
	if !ok || pid == 0 {
		return ""
	}
	return fmt.Sprintf("%s [%d]", name, pid)
}

// owner sets the thread that owns what is waited for, in this process or another one.
func (who *people) owner(p *stackshot.Process, w *profile.Wait, from *stackshot.Waiting) {
	if from.Thread == 0 {
		return
	}
	it, known := who.threads[from.Thread]
	switch {
	case !known:
		w.Object = join(w.Object, fmt.Sprintf("%s thread %#x, which the stackshot does not have", of(w), uint64(from.Thread)))
	case it.process == p && w.Lock != profile.NoLock:
		w.Owner, w.OwnerName = from.Thread, it.name
	case it.process == p || it.process.Info().PID == 0 || from.Kind == stackshot.EventLink:
		w.Object = join(w.Object, fmt.Sprintf("%s thread %#x%s", of(w), uint64(from.Thread), ofProcess(p, it.process)))
	default:
		info := it.process.Info()
		w.Peer = profile.Peer{PID: info.PID, Name: info.Name, Thread: from.Thread, ThreadName: it.name, Action: action(w)}
	}
}

// ofProcess names the process of a thread, unless it is the profile's own.
func ofProcess(p, other *stackshot.Process) string {
	info := other.Info()
	switch {
	case p == other:
		return ""
	case info.PID == 0:
		return " of " + info.Name
	}
	return fmt.Sprintf(" of %s [%d]", info.Name, info.PID)
}

// of returns a phrase with the owner's relation to what is waited for.
func of(w *profile.Wait) string {
	if w.Lock != profile.NoLock {
		return "held by"
	}
	return "from"
}

// action returns what a thread of another process must do to end the wait.
func action(w *profile.Wait) profile.Action {
	if w.Lock != profile.NoLock {
		return profile.Release
	}
	return profile.Reply
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
