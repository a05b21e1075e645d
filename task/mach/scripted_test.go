package mach

import (
	"fmt"
	"testing"
	"time"

	"stacksnap/task"
)

// scripted is a kernel with one process in it, which counts every reference,
// array and hold that it gives, and does as a test scripts it.
type scripted struct {
	scriptedMappings
	scriptedShots

	// The script.
	failAt   int                         // the call that fails, counted from 1
	failCall string                      // or every call of this name
	failWith Return                      // what it answers
	before   func(step int, call string) // done before each call

	step   int
	failed string // the call that was made to fail
	now    time.Duration

	// The world.
	host        task.Arch
	pid         int
	euid        int
	gone        bool // no such pid
	bsd         bsdInfo
	cwd         string
	bsdErr      Errno
	nullPorts   bool  // calls for ports succeed and give none
	noReadPort  Errno // the answer of task_read_for_pid, ok for a port
	noControl   Return
	execPath    string
	args        []byte
	usage       task.Footprint
	texts       map[string]string
	numbers     map[string]uint64
	pflags      uint32
	pflagsErr   Errno
	cpu         uint32
	loader      dyldInfo
	threadList  []*scriptedThread
	memory      []scriptedRegion
	listErr     Errno
	kids        map[int][]int
	code        uint32 // flags of the target's signature
	codeErr     Errno
	protects    uint32 // what System Integrity Protection allows
	debugger    bool   // we are entitled as one
	sandbox     bool   // we are in one
	all         []int
	allProcs    []task.Candidate
	shortProcs  [][]task.Candidate // what KERN_PROC_ALL answers before that
	ownQueues   queueOffsets
	restless    time.Duration // how long after a stop states are zeros
	noExtended  Return        // what THREAD_EXTENDED_INFO answers
	noRecursion Return
	recurseProt bool // the recursive call gives no protection
	endOfMap    Return
	badRead     Return // what an unmapped read answers

	// The accounts.
	refs         [1024]int // by port name
	dead         [1024]bool
	arrays       int // handed out
	array        [1024]port
	holds        int
	stoppedAt    time.Duration
	suspends     int
	reads        int
	extendeds    int
	lateReleases int // references given back while the task stood
	paused       time.Duration
	mayRun       bool          // a running thread's state may be asked for
	noHold       bool          // task_suspend answers failWith although it placed its hold
	foreign      int           // holds of others
	noRunning    bool          // states of threads that run are zeros
	mute         bool          // it tells no CPU times
	silent       chan struct{} // task_info(DYLD) answers when this is closed; nil: at once
	inactive     bool          // the task is about to end: it tells nothing of itself
	odd          bool          // it answers some questions otherwise than XNU: see newOdd
	files        map[int]scriptedFile
	asked        int // for a file
}

// scriptedFile is a descriptor, and the answer to the one question about it that
// is not refused.
type scriptedFile struct {
	flavor int
	answer []byte
}

type scriptedThread struct {
	id       task.ThreadID
	port     port
	name     string
	qaddr    task.Addr
	handle   task.Addr
	run      int32
	held     int32         // by thread_suspend
	ran      time.Duration // CPU time besides what it began with
	stateErr Return
	words    []uint32
}

type scriptedRegion struct {
	region
	bytes []byte       // from start on, which mappings share
	holes map[int]bool // pages that cannot be read
	_     [0]func()    // not comparable
}

const (
	readPort    port = 2
	controlPort port = 3
	firstThread port = 10
	testPage         = 4096
)

// enter counts a call and reports whether it is to fail.
func (s *scripted) enter(call string) bool {
	s.step++
	if s.before != nil {
		s.before(s.step, call)
	}
	if s.step == s.failAt || s.failCall == call {
		s.failed = call
		return true
	}
	return false
}

// enterBSD is enter for calls that answer an errno.
func (s *scripted) enterBSD(call string) Errno {
	if s.enter(call) {
		return Errno(s.failWith & 0x7f)
	}
	return ok
}

// enterPort is enter for calls on a port, which may be dead.
func (s *scripted) enterPort(call string, p port) Return {
	switch {
	case s.enter(call):
		return s.failWith
	case int(p) >= len(s.refs) || s.refs[p] <= 0:
		panic(fmt.Sprintf("%s on port %d, to which no reference is held", call, p))
	case s.dead[p]:
		return sendInvalidDest
	}
	return success
}

// kill ends the whole task. A hold ends with it.
func (s *scripted) kill() {
	s.dead[readPort], s.dead[controlPort] = true, true
	for _, t := range s.threadList {
		s.dead[t.port] = true
	}
	s.threadList, s.holds, s.gone = nil, 0, true
}

// exec replaces the task by another, as exec does: the pid goes on.
func (s *scripted) exec() { s.kill(); s.gone = false }

// endThread ends one thread.
func (s *scripted) endThread(i int) {
	if i >= len(s.threadList) {
		return
	}
	s.dead[s.threadList[i].port] = true
	s.threadList = append(s.threadList[:i:i], s.threadList[i+1:]...)
}

func (s *scripted) thread(p port) *scriptedThread {
	for _, t := range s.threadList {
		if t.port == p {
			return t
		}
	}
	return nil
}

// balance reports what was not given back.
func (s *scripted) balance(t *testing.T) {
	t.Helper()
	for name, n := range s.refs {
		if n != 0 {
			t.Errorf("port %d: %d references left", name, n)
		}
	}
	if s.arrays != 0 {
		t.Errorf("%d arrays left", s.arrays)
	}
	if s.holds != 0 {
		t.Errorf("the task is left suspended (%d)", s.holds)
	}
	s.balanceMappings(t)
	s.balanceShots(t)
}

func (s *scripted) self() (int, int)      { return 7, s.euid }
func (s *scripted) arch() task.Arch       { return s.host }
func (s *scripted) pause(d time.Duration) { s.enter("pause"); s.now += d; s.paused += d }

// after is at once where an answer never comes, and never elsewhere.
func (s *scripted) after(time.Duration) <-chan time.Time {
	if s.silent == nil {
		return nil
	}
	at := make(chan time.Time, 1)
	at <- time.Time{}
	return at
}

func (s *scripted) uptime() time.Duration     { return s.now }
func (s *scripted) continuous() time.Duration { return s.now }
func (s *scripted) waitUntil(t time.Duration) { s.now = max(s.now, t) }

func (s *scripted) taskReadForPID(int) (port, Errno) {
	if e := s.enterBSD("task_read_for_pid"); e != ok {
		return portNull, e
	}
	if s.gone {
		return portNull, noProcess
	}
	if s.noReadPort != ok || s.nullPorts {
		return portNull, s.noReadPort
	}
	s.refs[readPort]++
	return readPort, ok
}

func (s *scripted) taskForPID(int) (port, Return) {
	if s.enter("task_for_pid") {
		return portNull, s.failWith
	}
	if s.gone {
		return portNull, failure
	}
	if s.noControl != success || s.nullPorts {
		return portDead, s.noControl
	}
	s.refs[controlPort]++
	return controlPort, success
}

func (s *scripted) release(p port) Return {
	if s.enter("mach_port_deallocate") {
		return s.failWith
	}
	if s.holds > 0 {
		s.lateReleases++
	}
	if s.refs[p] <= 0 {
		panic(fmt.Sprintf("port %d given back once too often", p))
	}
	s.refs[p]--
	return success
}

func (s *scripted) isDead(p port) bool {
	return !s.enter("mach_port_type") && s.dead[p]
}

func (s *scripted) threads(p port) ([]port, Return) {
	if r := s.enterPort("task_threads", p); r != success {
		return nil, r
	}
	for i, t := range s.threadList {
		s.refs[t.port]++
		s.array[i] = t.port
	}
	if len(s.threadList) > 0 {
		s.arrays++
	}
	return s.array[:len(s.threadList)], success
}

func (s *scripted) freePorts(ports []port) Return {
	if s.enter("vm_deallocate") {
		return s.failWith
	}
	for i := range ports {
		ports[i] = portDead
	}
	s.arrays--
	return success
}

func (s *scripted) suspend(p port) Return {
	r := s.enterPort("task_suspend", p)
	if r == success || s.noHold {
		s.holds++
		s.suspends++
		s.stoppedAt = s.now
	}
	return r
}

func (s *scripted) resume(p port) Return {
	if r := s.enterPort("task_resume", p); r != success {
		return r
	}
	if s.holds == 0 {
		return failure
	}
	s.holds--
	return success
}

func (s *scripted) taskBasic(p port) (taskInfo, Return) {
	if r := s.enterPort("task_info(BASIC)", p); r != success {
		return taskInfo{}, r
	}
	if s.inactive {
		return taskInfo{}, invalidArgument
	}
	return taskInfo{suspendCount: int32(s.holds + s.foreign)}, success
}

func (s *scripted) dyldInfo(p port) (dyldInfo, Return) {
	if s.silent != nil {
		<-s.silent
		return s.loader, success
	}
	if r := s.enterPort("task_info(DYLD)", p); r != success {
		return dyldInfo{}, r
	}
	return s.loader, success
}

func (s *scripted) identity(p port) (identity, Return) {
	if r := s.enterPort("thread_info(IDENTIFIER)", p); r != success {
		return identity{}, r
	}
	t := s.thread(p)
	return identity{id: t.id, queue: t.qaddr, handle: t.handle}, success
}

func (s *scripted) basic(p port) (basicInfo, Return) {
	if r := s.enterPort("thread_info(BASIC)", p); r != success {
		return basicInfo{}, r
	}
	t := s.thread(p)
	if s.odd || s.mute {
		info := basicInfo{runState: t.run} // no times
		if s.holds > 0 {
			info.runState = 2
		}
		return info, success
	}
	return basicInfo{user: time.Duration(t.id)*time.Second + t.ran, system: time.Second, runState: t.run, suspendCount: t.held}, success
}

func (s *scripted) extended(p port) (extendedInfo, Return) {
	s.extendeds++
	if r := s.enterPort("thread_info(EXTENDED)", p); r != success {
		return extendedInfo{}, r
	}
	if s.noExtended != success {
		return extendedInfo{}, s.noExtended
	}
	t := s.thread(p)
	return extendedInfo{user: time.Duration(t.id) * time.Second, runState: t.run, name: t.name, priority: task.Priority{Now: 30, Base: 31}}, success
}

func (s *scripted) state(p port, flavor int32, words []uint32) (int, Return) {
	if r := s.enterPort("thread_get_state", p); r != success {
		return 0, r
	}
	if s.holds == 0 && !s.mayRun && !s.noRunning {
		panic("a running thread's state was asked for")
	}
	t := s.thread(p)
	if t.stateErr != success {
		return 0, t.stateErr
	}
	arch := s.host
	if s.loader.addr != 0 && !s.loader.is64 {
		arch = task.I386
	}
	if flavor != stateLayout(arch).flavor {
		return 0, invalidArgument
	}
	if s.now < s.stoppedAt+s.restless || s.noRunning && s.holds == 0 {
		clear(words)
		return len(words), success
	}
	return copy(words, t.words), success
}

func (s *scripted) read(p port, b []byte, a task.Addr) (int, Return) {
	call := "mach_vm_read_overwrite"
	if len(b) == 1 {
		call += " of a byte" // to see whether anything is there
	} else {
		s.reads++
	}
	if r := s.enterPort(call, p); r != success {
		return 0, r
	}
	for n := 0; n < len(b); {
		m := s.at(a + task.Addr(n))
		if m == nil || m.prot&task.Read == 0 {
			return 0, s.badRead
		}
		off := int(a + task.Addr(n) - m.start)
		if m.holes[off/testPage] {
			return 0, s.badRead
		}
		n += copy(b[n:min(len(b), n+testPage-off%testPage)], m.bytes[off:])
	}
	return len(b), success
}

func (s *scripted) at(a task.Addr) *scriptedRegion {
	for i := range s.memory {
		if s.memory[i].contains(a) {
			return &s.memory[i]
		}
	}
	return nil
}

// next finds the region at a or above.
func (s *scripted) next(a task.Addr) (region, Return) {
	for i := range s.memory {
		if s.memory[i].end > a {
			return s.memory[i].region, success
		}
	}
	return region{}, s.endOfMap
}

func (s *scripted) regionRecurse(p port, a task.Addr) (region, Return) {
	if r := s.enterPort("mach_vm_region_recurse", p); r != success {
		return region{}, r
	}
	if s.noRecursion != success {
		return region{}, s.noRecursion
	}
	r, ret := s.next(a)
	if s.recurseProt {
		r.prot, r.object = 0, 0
	}
	return r, ret
}

func (s *scripted) region(p port, a task.Addr) (region, Return) {
	if r := s.enterPort("mach_vm_region", p); r != success {
		return region{}, r
	}
	r, ret := s.next(a)
	r.tag, r.file, r.object = 0, false, 0
	return r, ret
}

func (s *scripted) regionPath(int, task.Addr) string {
	if s.enter("proc_regionfilename") {
		return ""
	}
	return "/a/file"
}

func (s *scripted) file(_, fd, flavor int, b []byte) (int, Errno) {
	s.asked++
	if e := s.enterBSD("proc_pidfdinfo"); e != ok {
		return 0, e
	}
	f, found := s.files[fd]
	if !found || f.flavor != flavor {
		return 0, badFile
	}
	return copy(b, f.answer), ok
}

func (s *scripted) exists(int) Errno {
	if e := s.enterBSD("kill"); e != ok {
		return e
	}
	if s.gone {
		return noProcess
	}
	return ok
}

func (s *scripted) bsdInfo(pid int) (bsdInfo, Errno) {
	if e := s.enterBSD("proc_pidinfo(TBSDINFO)"); e != ok {
		return bsdInfo{}, e
	}
	if s.gone {
		return bsdInfo{}, noProcess
	}
	if pid == s.bsd.parent {
		return bsdInfo{name: "parent"}, ok
	}
	return s.bsd, s.bsdErr
}

func (s *scripted) cpuType(int) (uint32, Errno) {
	e := s.enterBSD("proc_pidinfo(ARCHINFO)")
	return s.cpu, e
}

func (s *scripted) cpuTime(int) (time.Duration, Errno) {
	e := s.enterBSD("proc_pidinfo(TASKINFO)")
	return 3 * time.Second, e
}

func (s *scripted) flags(int) (uint32, Errno) {
	if e := s.enterBSD("sysctl(KERN_PROC_PID)"); e != ok {
		return 0, e
	}
	return s.pflags, s.pflagsErr
}

func (s *scripted) path(pid int) (string, Errno) {
	if e := s.enterBSD("proc_pidpath"); e != ok {
		return "", e
	}
	if pid == s.bsd.parent || s.execPath == "" {
		return "", noProcess
	}
	return s.execPath, ok
}

func (s *scripted) folder(int) (string, Errno) {
	e := s.enterBSD("proc_pidinfo(VNODEPATHINFO)")
	return s.cwd, e
}

func (s *scripted) arguments(int) ([]byte, Errno) {
	e := s.enterBSD("sysctl(KERN_PROCARGS2)")
	return s.args, e
}

func (s *scripted) vmInfo(t port) (task.Footprint, Return) {
	if r := s.enterPort("task_info(VM_INFO)", t); r != success {
		return task.Footprint{}, r
	}
	return s.usage, success
}

func (s *scripted) text(name string) (string, Errno) {
	if e := s.enterBSD("sysctl " + name); e != ok {
		return "", e
	}
	v, found := s.texts[name]
	if !found {
		return "", Errno(2)
	}
	return v, ok
}

func (s *scripted) number(name string) (uint64, Errno) {
	if e := s.enterBSD("sysctl " + name); e != ok {
		return 0, e
	}
	v, found := s.numbers[name]
	if !found {
		return 0, Errno(2)
	}
	return v, ok
}

func (s *scripted) codeFlags(int) (uint32, Errno) {
	if e := s.enterBSD("csops"); e != ok {
		return 0, e
	}
	return s.code, s.codeErr
}

func (s *scripted) entitled(entitlement string) bool {
	return !s.enter("csops(ENTITLEMENTS)") && s.debugger && entitlement == debuggerEntitlement
}

func (s *scripted) protection() (uint32, Errno) {
	e := s.enterBSD("csr_get_active_config")
	return s.protects, e
}

func (s *scripted) sandboxed() bool { return !s.enter("sandbox_check") && s.sandbox }

func (s *scripted) children(pid int) ([]int, Errno) {
	if e := s.enterBSD("proc_listchildpids"); e != ok {
		return nil, e
	}
	return s.kids[pid], s.listErr
}

func (s *scripted) pids() ([]int, Errno) {
	if e := s.enterBSD("proc_listallpids"); e != ok {
		return nil, e
	}
	return s.all, s.listErr
}

func (s *scripted) processes() ([]task.Candidate, Errno) {
	e := s.enterBSD("sysctl(KERN_PROC_ALL)")
	if len(s.shortProcs) > 0 {
		first := s.shortProcs[0]
		s.shortProcs = s.shortProcs[1:]
		return first, e
	}
	return s.allProcs, e
}

func (s *scripted) queueOffsets() (queueOffsets, bool) {
	if s.enter("dlsym") {
		return queueOffsets{}, false
	}
	return s.ownQueues, s.ownQueues.plausible()
}
