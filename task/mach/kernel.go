package mach

import (
	"time"

	"stacksnap/task"
)

// port is the name of a Mach port right in our own space (mach_port_name_t).
type port uint32

// Names that are not rights (osfmk/mach/port.h).
const (
	portNull port = 0
	portDead port = ^port(0)
)

func (p port) valid() bool { return p != portNull && p != portDead }

// kernel has every call to the system that this package makes. Its methods decide nothing: each
// makes one call, so that the code that uses the results can be tested on any system.
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
	// arch is the architecture for which this program was built.
	arch() task.Arch
	// pause sleeps.
	pause(time.Duration)
	// after is time.After.
	after(time.Duration) <-chan time.Time
	// uptime is mach_absolute_time, which stops while the system sleeps. continuous is
	// mach_continuous_time, which does not.
	uptime() time.Duration
	continuous() time.Duration
	// waitUntil is mach_wait_until; its time is an uptime.
	waitUntil(time.Duration)
	// timeConstraint is thread_policy_set(THREAD_TIME_CONSTRAINT_POLICY) for the calling thread,
	// standardPolicy is thread_policy_set(THREAD_STANDARD_POLICY).
	timeConstraint(period, computation, constraint time.Duration) Return
	standardPolicy() Return
}

// rights are the calls that obtain and release references to ports.
type rights interface {
	// taskReadForPID is task_read_for_pid (bsd/sys/proc.h; BSD system call 539 since macOS 11).
	// It returns a send right to the task's read port, which the caller owns, or noCall if the
	// system does not have the call.
	taskReadForPID(pid int) (port, Errno)
	// taskForPID is task_for_pid (osfmk/mach/mach_traps.h). It returns a send right to the
	// task's control port, which the caller owns.
	taskForPID(pid int) (port, Return)
	// release is mach_port_deallocate. It releases one reference to a send right, or to the dead
	// name that the right has become.
	release(port) Return
	// isDead is mach_port_type. It reports whether the right has become a dead name or is no
	// longer ours.
	isDead(port) bool
}

// taskCalls need at least a task's read port; for threads an inspect port is enough
// (osfmk/mach/task.defs).
type taskCalls interface {
	// threads is task_threads. The caller owns one reference to every port in the array, and the
	// array itself, which the kernel allocates: see freePorts.
	threads(task port) ([]port, Return)
	// freePorts is vm_deallocate of an array returned by threads; the ports in it keep their
	// references.
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

// threadCalls take a thread's port. It is of the same flavor as its task's port.
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

// memoryCalls read the target's memory and its map.
type memoryCalls interface {
	// read is mach_vm_read_overwrite. It reads all of p, or nothing if n is 0.
	read(task port, p []byte, a task.Addr) (n int, r Return)
	// regionRecurse is mach_vm_region_recurse, which enters submaps. It returns the region at a
	// or the next one above it.
	regionRecurse(task port, a task.Addr) (region, Return)
	// region is mach_vm_region(VM_REGION_BASIC_INFO_64) for the same region.
	region(task port, a task.Addr) (region, Return)
	// regionPath is proc_regionfilename: the file mapped at a, or "".
	regionPath(pid int, a task.Addr) string
}

// mappingCalls map the target's memory into our own address space. The caller owns a mapping and
// must unmap it.
type mappingCalls interface {
	// remapNew is mach_vm_remap_new (since macOS 12; notSupported before) without a copy, for n
	// bytes from the start of a page. It requests read access, which is all that the mapping can
	// ever get. It needs the task's read port (osfmk/vm/vm_user.c, mach_vm_remap_new_external).
	remapNew(task port, a task.Addr, n uint64) ([]byte, Return)
	// remap is mach_vm_remap for the same. It needs the control port, and gives the mapping all
	// access that the target has.
	remap(task port, a task.Addr, n uint64) ([]byte, Return)
	// readOnly is mach_vm_protect for a mapping.
	readOnly([]byte) Return
	// unmap is mach_vm_deallocate for a mapping.
	unmap([]byte) Return
	// backing is mach_vm_region_recurse for our own task, at the start of a mapping.
	backing([]byte) (backing, Return)
}

// policyFacts are the calls that show why a port was refused. They are made only in that case.
type policyFacts interface {
	// codeFlags is csops(CS_OPS_STATUS): the flags of a process's code signature.
	codeFlags(pid int) (uint32, Errno)
	// entitled reports whether our own process has the entitlement, by
	// csops(CS_OPS_ENTITLEMENTS_BLOB).
	entitled(entitlement string) bool
	// protection is csr_get_active_config: what System Integrity Protection allows.
	protection() (uint32, Errno)
	// sandboxed is sandbox_check for our own process.
	sandboxed() bool
}

// processFacts are the calls that need no port.
type processFacts interface {
	// exists is kill with signal 0, which also succeeds for a zombie (bsd/kern/kern_sig.c,
	// kill).
	exists(pid int) Errno
	// bsdInfo is proc_pidinfo(PROC_PIDTBSDINFO), which also works for zombies.
	bsdInfo(pid int) (bsdInfo, Errno)
	// cpuType is proc_pidinfo(PROC_PIDARCHINFO): the cputype of the program's file.
	cpuType(pid int) (uint32, Errno)
	// cpuTime is the sum of the user and system time of proc_pidinfo(PROC_PIDTASKINFO), which is
	// available for processes of our user, and for all as root (bsd/kern/proc_info.c,
	// proc_pidinfo).
	cpuTime(pid int) (time.Duration, Errno)
	// flags is p_flag by sysctl KERN_PROC_PID.
	flags(pid int) (uint32, Errno)
	// path is proc_pidpath.
	path(pid int) (string, Errno)
	// folder is the working directory from proc_pidinfo(PROC_PIDVNODEPATHINFO), empty if it no
	// longer has a path.
	folder(pid int) (string, Errno)
	// file is proc_pidfdinfo for a descriptor. n is how much of b it filled.
	file(pid, fd, flavor int, b []byte) (n int, e Errno)
	// arguments is sysctl KERN_PROCARGS2: an int argc, the path given to exec, and
	// the arguments, each ended by NUL.
	arguments(pid int) ([]byte, Errno)
	// text and number read a sysctl by name. Numbers have four bytes, some eight, such as
	// hw.pagesize (bsd/kern/kern_mib.c).
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

// stackshotCalls are functions of libsyscall/wrappers/stackshot.c. They are SPI and may be
// missing, see exports; they then return noCall.
type stackshotCalls interface {
	// exports is dlsym: it reports whether a loaded library has the function.
	exports(function string) bool
	// newShot is stackshot_config_create. The caller owns the config and must call freeShot.
	newShot() (shotConfig, Errno)
	// shotPID is stackshot_config_set_pid; −1 means all processes.
	shotPID(c shotConfig, pid int) Errno
	// shotFlags is stackshot_config_set_flags, with flags STACKSHOT_* of osfmk/kern/debug.h.
	shotFlags(c shotConfig, flags uint64) Errno
	// shotHint is stackshot_config_set_size_hint: the least size of the kernel's buffer. A
	// capture that fails resets it, and so does dropShot.
	shotHint(c shotConfig, size uint32) Errno
	// shotSince is stackshot_config_set_delta_timestamp, in mach_absolute_time.
	shotSince(c shotConfig, time uint64) Errno
	// captureShot is stackshot_capture_with_config. After a success the config owns a buffer,
	// and further captures fail until dropShot.
	captureShot(c shotConfig) Errno
	// shotBuffer returns that buffer (stackshot_config_get_stackshot_buffer and _size), which
	// the config continues to own.
	shotBuffer(c shotConfig) []byte
	// dropShot is stackshot_config_dealloc_buffer.
	dropShot(c shotConfig) Errno
	// freeShot is stackshot_config_dealloc.
	freeShot(c shotConfig) Errno
}

// taskInfo has the fields used of mach_task_basic_info (osfmk/mach/task_info.h).
type taskInfo struct {
	suspendCount int32 // number of holds by task_suspend, from any holder
}

// dyldInfo is task_dyld_info (osfmk/mach/task_info.h).
type dyldInfo struct {
	addr task.Addr // all_image_info_addr
	is64 bool      // all_image_info_format
}

// identity is thread_identifier_info (osfmk/mach/thread_info.h).
type identity struct {
	id task.ThreadID
	// queue is dispatch_qaddr: the address, in the thread's own data, of the pointer to the
	// dispatch queue that it works for (osfmk/kern/thread.c, thread_dispatchqaddr).
	queue task.Addr
	// handle is thread_handle: where the thread's own data (libpthread's tsd) begins; 0 while it
	// has none (osfmk/kern/thread.c, THREAD_IDENTIFIER_INFO).
	handle task.Addr
}

// basicInfo has the fields used of thread_basic_info (osfmk/mach/thread_info.h).
type basicInfo struct {
	user, system time.Duration
	runState     int32 // TH_STATE_*
	suspendCount int32 // holds by thread_suspend, not by task_suspend
}

// extendedInfo has the fields used of thread_extended_info (osfmk/mach/thread_info.h).
type extendedInfo struct {
	user, system time.Duration
	runState     int32
	name         string
	priority     task.Priority // pth_curpri and pth_priority
}

// region has the fields used of vm_region_submap_short_info_64 and vm_region_basic_info_64
// (osfmk/mach/vm_region.h): [start, end).
type region struct {
	start, end task.Addr
	prot       task.Prot
	tag        uint32 // user_tag, VM_MEMORY_*; 0 from the basic call
	shared     bool
	file       bool   // external_pager: the pages are a file's
	offset     uint64 // offset of start in the object
	object     uint32 // object_id, which identifies the VM object; 0 from the basic call
}

// backing is the memory behind a mapping: the VM object, the offset in it at which the mapping
// begins, and how many bytes from there on belong to that object.
type backing struct {
	object uint32
	offset uint64
	size   uint64
}

func (r *region) contains(a task.Addr) bool { return a >= r.start && a < r.end }

// bsdInfo has the fields used of proc_bsdinfo (bsd/sys/proc_info.h).
type bsdInfo struct {
	flags  uint32
	status uint32
	parent int
	uid    int
	name   string // pbi_name, or pbi_comm if that is empty
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
