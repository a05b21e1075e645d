package mach

import (
	"time"

	"stacksnap/task"
)

// port is the name of a Mach port right in our own space (mach_port_name_t).
type port uint32

// The names that are no right (osfmk/mach/port.h).
const (
	portNull port = 0
	portDead port = ^port(0)
)

func (p port) valid() bool { return p != portNull && p != portDead }

// kernel is every call to the system that this package makes. Its methods
// decide nothing: one call each, so that what is done with the answers can be
// tested on any system.
type kernel interface {
	rights
	taskCalls
	threadCalls
	memoryCalls
	mappingCalls
	processFacts
	policyFacts
	stackshotCalls

	// self returns our own pid and effective user id.
	self() (pid, euid int)
	// arch is what this program was built for.
	arch() task.Arch
	// pause sleeps.
	pause(time.Duration)
	// after is time.After.
	after(time.Duration) <-chan time.Time
	// uptime is mach_absolute_time, which stands while the system sleeps, continuous
	// is mach_continuous_time, which does not.
	uptime() time.Duration
	continuous() time.Duration
	// waitUntil is mach_wait_until of an uptime.
	waitUntil(time.Duration)
	// timeConstraint is thread_policy_set(THREAD_TIME_CONSTRAINT_POLICY) of the
	// calling thread, standardPolicy the same of THREAD_STANDARD_POLICY.
	timeConstraint(period, computation, constraint time.Duration) Return
	standardPolicy() Return
}

// rights are the calls that give and take references to ports.
type rights interface {
	// taskReadForPID is task_read_for_pid (bsd/sys/proc.h; BSD system call 539
	// since macOS 11): a send right to the task's read port, which the caller
	// owns. noCall where the system has no such call.
	taskReadForPID(pid int) (port, Errno)
	// taskForPID is task_for_pid (osfmk/mach/mach_traps.h): a send right to the
	// task's control port, which the caller owns.
	taskForPID(pid int) (port, Return)
	// release is mach_port_deallocate: it gives back one reference to a send right
	// or to the dead name it has become.
	release(port) Return
	// isDead is mach_port_type: whether the right has become a dead name, or is no
	// longer ours.
	isDead(port) bool
}

// taskCalls need a task's read port at least, except threads, which an inspect
// port can do (osfmk/mach/task.defs).
type taskCalls interface {
	// threads is task_threads. The caller owns one reference to every port in the
	// array, and the array, which is memory of the kernel's making: freePorts.
	threads(task port) ([]port, Return)
	// freePorts is vm_deallocate of an array that threads gave; the ports in it
	// keep their references.
	freePorts([]port) Return
	// suspend is task_suspend. The hold is a send right in our space, so it is
	// released when this process ends (osfmk/kern/task.c, task_suspend).
	suspend(task port) Return
	// resume is task_resume: it releases one hold.
	resume(task port) Return
	// taskBasic is task_info(MACH_TASK_BASIC_INFO).
	taskBasic(task port) (taskInfo, Return)
	// dyldInfo is task_info(TASK_DYLD_INFO).
	dyldInfo(task port) (dyldInfo, Return)
	// vmInfo is task_info(TASK_VM_INFO): the physical footprint and its peak.
	vmInfo(task port) (task.Footprint, Return)
}

// threadCalls take a thread's port of the flavor that its task's port had.
type threadCalls interface {
	// identity is thread_info(THREAD_IDENTIFIER_INFO).
	identity(thread port) (identity, Return)
	// basic is thread_info(THREAD_BASIC_INFO).
	basic(thread port) (basicInfo, Return)
	// extended is thread_info(THREAD_EXTENDED_INFO).
	extended(thread port) (extendedInfo, Return)
	// state is thread_get_state: n words of the flavor's structure.
	state(thread port, flavor int32, words []uint32) (n int, r Return)
}

// memoryCalls read the target's memory and map.
type memoryCalls interface {
	// read is mach_vm_read_overwrite: all of p or, but for n, nothing.
	read(task port, p []byte, a task.Addr) (n int, r Return)
	// regionRecurse is mach_vm_region_recurse, submaps entered, of the region at a
	// or the next above it.
	regionRecurse(task port, a task.Addr) (region, Return)
	// region is mach_vm_region(VM_REGION_BASIC_INFO_64), of the same.
	region(task port, a task.Addr) (region, Return)
	// regionPath is proc_regionfilename: the file mapped at a, or nothing.
	regionPath(pid int, a task.Addr) string
}

// mappingCalls put the target's memory into our own space. A mapping is owned by
// the caller: unmap.
type mappingCalls interface {
	// remapNew is mach_vm_remap_new (since macOS 12; notSupported before) without
	// copy, of n bytes that begin a page, of which reading is asked for and is all
	// that will ever be allowed. It needs the task's read port
	// (osfmk/vm/vm_user.c, mach_vm_remap_new_external).
	remapNew(task port, a task.Addr, n uint64) ([]byte, Return)
	// remap is mach_vm_remap, likewise, which needs the control port, and gives all
	// that the target may do with the memory.
	remap(task port, a task.Addr, n uint64) ([]byte, Return)
	// readOnly is mach_vm_protect of a mapping.
	readOnly([]byte) Return
	// unmap is mach_vm_deallocate of a mapping.
	unmap([]byte) Return
	// backing is mach_vm_region_recurse of our own task, of a mapping's begin.
	backing([]byte) (backing, Return)
}

// policyFacts tell why a port is refused. They are asked only then.
type policyFacts interface {
	// codeFlags is csops(CS_OPS_STATUS): the flags of a process's signature.
	codeFlags(pid int) (uint32, Errno)
	// entitled is whether csops(CS_OPS_ENTITLEMENTS_BLOB) of our own process has the
	// entitlement.
	entitled(entitlement string) bool
	// protection is csr_get_active_config: what System Integrity Protection allows.
	protection() (uint32, Errno)
	// sandboxed is sandbox_check of our own process.
	sandboxed() bool
}

// processFacts need no port.
type processFacts interface {
	// exists is kill with signal 0, which finds a zombie, too
	// (bsd/kern/kern_sig.c, kill).
	exists(pid int) Errno
	// bsdInfo is proc_pidinfo(PROC_PIDTBSDINFO), of zombies also.
	bsdInfo(pid int) (bsdInfo, Errno)
	// cpuType is proc_pidinfo(PROC_PIDARCHINFO): the cputype of the program's file.
	cpuType(pid int) (uint32, Errno)
	// cpuTime is the user and system time of proc_pidinfo(PROC_PIDTASKINFO), which
	// tells of processes of our user, and root of all (bsd/kern/proc_info.c,
	// proc_pidinfo).
	cpuTime(pid int) (time.Duration, Errno)
	// flags is p_flag by sysctl KERN_PROC_PID.
	flags(pid int) (uint32, Errno)
	// path is proc_pidpath.
	path(pid int) (string, Errno)
	// folder is the working folder of proc_pidinfo(PROC_PIDVNODEPATHINFO), empty where
	// it has no path any more.
	folder(pid int) (string, Errno)
	// file is proc_pidfdinfo of a descriptor, which fills as much of b as it gives.
	file(pid, fd, flavor int, b []byte) (n int, e Errno)
	// arguments is sysctl KERN_PROCARGS2: an int argc, the path given to exec, and
	// the arguments, each ended by NUL.
	arguments(pid int) ([]byte, Errno)
	// text and number read a sysctl by name; numbers are of four bytes or, as
	// hw.pagesize (bsd/kern/kern_mib.c), of eight.
	text(sysctl string) (string, Errno)
	number(sysctl string) (uint64, Errno)
	// children is proc_listchildpids.
	children(pid int) ([]int, Errno)
	// pids is proc_listallpids.
	pids() ([]int, Errno)
	// processes is sysctl KERN_PROC_ALL.
	processes() ([]task.Candidate, Errno)
	// queueOffsets is the dispatch_queue_offsets of our own libdispatch.
	queueOffsets() (queueOffsets, bool)
}

// shotConfig is a stackshot_config_t *, 0 for none.
type shotConfig uint64

// stackshotCalls are those of libsyscall/wrappers/stackshot.c: SPI, which may not be
// there (noCall), and which exports tells.
type stackshotCalls interface {
	// exports is dlsym: whether a library that is loaded has a function.
	exports(function string) bool
	// newShot is stackshot_config_create. The caller owns the config: freeShot.
	newShot() (shotConfig, Errno)
	// shotPID is stackshot_config_set_pid, of -1 for all processes.
	shotPID(c shotConfig, pid int) Errno
	// shotFlags is stackshot_config_set_flags: STACKSHOT_*, osfmk/kern/debug.h.
	shotFlags(c shotConfig, flags uint64) Errno
	// shotHint is stackshot_config_set_size_hint: how large the kernel makes its buffer
	// at least. A capture that fails forgets it, and so does dropShot.
	shotHint(c shotConfig, size uint32) Errno
	// shotSince is stackshot_config_set_delta_timestamp, by mach_absolute_time.
	shotSince(c shotConfig, time uint64) Errno
	// captureShot is stackshot_capture_with_config. Of a success the config owns a buffer,
	// and refuses another capture until dropShot.
	captureShot(c shotConfig) Errno
	// shotBuffer is that buffer (stackshot_config_get_stackshot_buffer and _size), which
	// stays the config's.
	shotBuffer(c shotConfig) []byte
	// dropShot is stackshot_config_dealloc_buffer.
	dropShot(c shotConfig) Errno
	// freeShot is stackshot_config_dealloc.
	freeShot(c shotConfig) Errno
}

// taskInfo is what is used of mach_task_basic_info (osfmk/mach/task_info.h).
type taskInfo struct {
	suspendCount int32 // holds by task_suspend, of all holders
}

// dyldInfo is task_dyld_info (osfmk/mach/task_info.h).
type dyldInfo struct {
	addr task.Addr // all_image_info_addr
	is64 bool      // all_image_info_format
}

// identity is thread_identifier_info (osfmk/mach/thread_info.h).
type identity struct {
	id task.ThreadID
	// queue is dispatch_qaddr: where, in the thread's own data, the pointer to the
	// dispatch queue stands that it works for (osfmk/kern/thread.c,
	// thread_dispatchqaddr).
	queue task.Addr
	// handle is thread_handle: where the thread's own data (libpthread's tsd) begins;
	// 0 before it has any (osfmk/kern/thread.c, THREAD_IDENTIFIER_INFO).
	handle task.Addr
}

// basicInfo is what is used of thread_basic_info (osfmk/mach/thread_info.h).
type basicInfo struct {
	user, system time.Duration
	runState     int32 // TH_STATE_*
	suspendCount int32 // holds by thread_suspend, not by task_suspend
}

// extendedInfo is what is used of thread_extended_info
// (osfmk/mach/thread_info.h).
type extendedInfo struct {
	user, system time.Duration
	runState     int32
	name         string
	priority     task.Priority // pth_curpri and pth_priority
}

// region is what is used of vm_region_submap_short_info_64 and
// vm_region_basic_info_64 (osfmk/mach/vm_region.h): [start, end).
type region struct {
	start, end task.Addr
	prot       task.Prot
	tag        uint32 // user_tag, VM_MEMORY_*; 0 by the basic call
	shared     bool
	file       bool   // external_pager: some file's pages
	offset     uint64 // of start in the object
	object     uint32 // object_id: a name for the VM object; 0 by the basic call
}

// backing is the memory behind a mapping: the object, the offset of the mapping's
// begin in it, and how many bytes from there on are of that object.
type backing struct {
	object uint32
	offset uint64
	size   uint64
}

func (r *region) contains(a task.Addr) bool { return a >= r.start && a < r.end }

// bsdInfo is what is used of proc_bsdinfo (bsd/sys/proc_info.h).
type bsdInfo struct {
	flags  uint32
	status uint32
	parent int
	uid    int
	name   string // pbi_name, pbi_comm where that is empty
	start  time.Time
}

// Values of proc_bsdinfo (bsd/sys/proc_info.h, proc_info_private.h, proc.h).
const (
	flagExiting   = 0x4       // PROC_FLAG_INEXIT
	flagExec      = 0x4000    // PROC_FLAG_EXEC
	flagRosetta   = 0x2000000 // PROC_FLAG_ROSETTA
	statusStopped = 4         // SSTOP
	statusZombie  = 5         // SZOMB
)
