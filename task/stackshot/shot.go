package stackshot

// Shot is one stackshot. Fields that the kernel does not report are zero or nil.
type Shot struct {
	// Delta means that, for threads that have not run since an earlier stackshot, it has only
	// what has changed; see [Shot.Merge].
	Delta bool

	BootArgs      string       `kcdata:"boot_args"`
	OSVersion     string       `kcdata:"osversion"`        // "Darwin Kernel Version 23.5.0: …"
	OSBuild       string       `kcdata:"os_build_version"` // "23F79"
	PageSize      *uint64      `kcdata:"kernel_page_size"`
	JetsamLevel   *uint64      `kcdata:"jetsam_level"`
	PolicyVersion *uint64      `kcdata:"thread_policy_version"`
	Timebase      *Timebase    `kcdata:"mach_timebase_info"`
	AbsoluteTime  *uint64      `kcdata:"mach_absolute_time"`
	Epoch         *uint64      `kcdata:"usecs_since_epoch"`
	Since         *uint64      `kcdata:"stackshot_delta_since_timestamp"` // the time of that stackshot
	Durations     *Durations   `kcdata:",merge"`
	FaultStats    *FaultStats  `kcdata:"stackshot_fault_stats"`
	Memory        *Memory      `kcdata:"mem_and_io_snapshot"`
	SharedCache   *SharedCache `kcdata:"shared_cache_dyld_load_info"` // the system's
	Layout        []LoadInfo   `kcdata:"system_shared_cache_layout"`  // of that cache
	Caches        []Cache      `kcdata:"shared_caches"`
	PortLabels    []Label      `kcdata:"portlabels"`
	Groups        []Group      `kcdata:"thread_group_snapshot"`
	Coalitions    []Coalition  `kcdata:"jetsam_coalition_snapshot"`
	Tasks         []Task       `kcdata:"task_snapshots"`
	Ending        []Task       `kcdata:"transitioning_task_snapshots"`
	StillTasks    []uint64     `kcdata:"nonrunnable_tasks"` // unchanged tasks, by unique pid
	Facts         []Fact       `kcdata:",facts"`

	// Unknown counts the items of unknown types, which were skipped; Bad those that
	// are malformed.
	Unknown, Bad int
	kernel       []Image               // see kernelImages; nil: not computed yet
	layouts      map[*LoadInfo][]Image // sorted layouts, by first element

	// Missed counts, in a [Series], the stackshots that were due before this one but were not
	// taken.
	Missed int
	// Cut is why the stackshot is incomplete; nil: it is complete.
	Cut error
}

// Fact is a named number, such as "stackshot_in_pid".
type Fact struct {
	Name  string
	Value int64
}

// Cache is one of several shared caches on a system.
type Cache struct {
	ID     uint64      `kcdata:",id"`
	Info   SharedCache `kcdata:"shared_cache_dyld_load_info"`
	Layout []LoadInfo  `kcdata:"system_shared_cache_layout"`
}

// Label is a Mach service, to which wait infos refer by id.
type Label struct {
	ID   uint64     `kcdata:",id"`
	Info *PortLabel `kcdata:",merge"`
	Name string     `kcdata:"portlabel_name"`
}

// Task is one task with its threads.
type Task struct {
	ID           uint64        `kcdata:",id"` // its pid, or a unique number if it is ending
	Snapshot     *TaskSnapshot `kcdata:"task_snapshot"`
	Delta        *TaskDelta    `kcdata:"task_delta_snapshot"`
	Ending       *EndingTask   `kcdata:"transitioning_task_snapshot"`
	IO           *IOStats      `kcdata:"io_statistics"`
	Images       []LoadInfo    `kcdata:"dyld_load_info"`
	TextExec     []LoadInfo    `kcdata:"dyld_load_info_text_exec"` // of the kernel: where its code is
	KernelCache  *LoadInfo     `kcdata:"kernelcache_load_info"`
	SharedCache  *SharedCache  `kcdata:"shared_cache_dyld_load_info"` // if it is not the system's
	CacheID      *uint64       `kcdata:"sharedCacheID"`               // likewise
	Architecture *Architecture `kcdata:"task_cpu_architecture"`
	CodeSigning  *CodeSigning  `kcdata:"stackshot_task_codesigning_info"`
	Suspension   *Suspension   `kcdata:"suspension_info"`
	Suspenders   []Suspender   `kcdata:"suspension_source"`
	Donating     []int32       `kcdata:"donating_pids"`
	Coalition    *uint64       `kcdata:"jetsam_coalition"`
	Threads      []Thread      `kcdata:"thread_snapshots"`
	Deltas       []ThreadDelta `kcdata:"thread_delta_snapshot"` // of those that have not run
	StillThreads []uint64      `kcdata:"nonrunnable_threads"`   // unchanged threads
	Waits        []WaitInfo    `kcdata:"thread_waitinfo"`
	Turnstiles   []Turnstile   `kcdata:"thread_turnstileinfo"`
}

// Thread is one thread with its frames, innermost first.
type Thread struct {
	ID           uint64          `kcdata:",id"`
	Snapshot     *ThreadSnapshot `kcdata:"thread_snapshot"`
	IO           *IOStats        `kcdata:"io_statistics"`
	Name         string          `kcdata:"pth_name"`
	Label        string          `kcdata:"dispatch_queue_label"`
	CPU          *CPUTimes       `kcdata:"cpu_times"`
	Group        *uint64         `kcdata:"thread_group"`
	Instructions *Instructions   `kcdata:"instrs_cycles_snapshot"`
	Kernel       []Frame         `kcdata:"kernel_stack_frames"`
	User         []Frame         `kcdata:"user_stack_frames"`
	Async        []Frame         `kcdata:"user_async_stack_frames"`
	AsyncStart   *uint64         `kcdata:"user_async_start_index"` // number of user frames before the async ones
	StackTop     *StackTop       `kcdata:"user_stacktop"`

	// Still means that the thread has not run since the stackshot that this one was merged with,
	// from which its frames are.
	Still bool
}

// Frame is a code address and, if known, the frame pointer that led to it. The first
// of a thread's user frames is the next instruction, all others are return addresses.
type Frame struct {
	LR uint64 `kcdata:"lr"`
	SP uint64 `kcdata:"sp"`
}
