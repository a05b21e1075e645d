package stackshot

// Timebase converts the kernel's time to nanoseconds: times Numer, divided by Denom
// (mach_timebase_info).
type Timebase struct {
	Numer uint32 `kcdata:"numer"`
	Denom uint32 `kcdata:"denom"`
}

// LoadInfo is where a file is loaded (dyld_uuid_info_64). Load addresses in a shared cache's
// layout, and those of the kernel and its extensions, do not include the slide.
type LoadInfo struct {
	Load uint64   `kcdata:"imageLoadAddress"`
	UUID [16]byte `kcdata:"imageUUID"`
}

// loadInfo32 is dyld_uuid_info_32.
type loadInfo32 struct {
	Load uint32
	UUID [16]byte
}

// SharedCache is where a shared cache is mapped (dyld_shared_cache_loadinfo, whose
// first fields were dyld_uuid_info_64 and dyld_uuid_info_64_v2).
type SharedCache struct {
	Slide        uint64   `kcdata:"imageLoadAddress"`
	UUID         [16]byte `kcdata:"imageUUID"`
	Base         uint64   `kcdata:"imageSlidBaseAddress"`        // of the region that contains it; 0: unknown
	FirstMapping uint64   `kcdata:"sharedCacheSlidFirstMapping"` // 0: unknown
	ID           uint32   `kcdata:"sharedCacheID"`
	Flags        uint32   `kcdata:"sharedCacheFlags"`
}

// Memory is the system's memory, in pages (mem_and_io_snapshot).
type Memory struct {
	Magic          uint32 `kcdata:"snapshot_magic"`
	Free           uint32 `kcdata:"free_pages"`
	Active         uint32 `kcdata:"active_pages"`
	Inactive       uint32 `kcdata:"inactive_pages"`
	Purgeable      uint32 `kcdata:"purgeable_pages"`
	Wired          uint32 `kcdata:"wired_pages"`
	Speculative    uint32 `kcdata:"speculative_pages"`
	Throttled      uint32 `kcdata:"throttled_pages"`
	FileBacked     uint32 `kcdata:"filebacked_pages"`
	Compressions   uint32 `kcdata:"compressions"`
	Decompressions uint32 `kcdata:"decompressions"`
	CompressorSize uint32 `kcdata:"compressor_size"`
	BusyBuffers    int32  `kcdata:"busy_buffer_count"`
	Wanted         uint32 `kcdata:"pages_wanted"`
	Reclaimed      uint32 `kcdata:"pages_reclaimed"`
	WantedValid    uint8  `kcdata:"pages_wanted_reclaimed_valid"`
}

// Durations are how long the kernel took, in its own time unit
// (stackshot_duration_v2).
type Durations struct {
	Inner uint64 `kcdata:"stackshot_duration"`
	Outer uint64 `kcdata:"stackshot_duration_outer"`
	Prior uint64 `kcdata:"stackshot_duration_prior"`
}

// FaultStats counts what was paged in for the stackshot (stackshot_fault_stats).
type FaultStats struct {
	Pages   uint32 `kcdata:"sfs_pages_faulted_in"`
	Time    uint64 `kcdata:"sfs_time_spent_faulting"`
	Most    uint64 `kcdata:"sfs_system_max_fault_time"`
	Stopped uint8  `kcdata:"sfs_stopped_faulting"`
}

// TaskSnapshot is a task (task_snapshot_v2).
type TaskSnapshot struct {
	UniquePID     uint64   `kcdata:"ts_unique_pid"`
	Flags         uint64   `kcdata:"ts_ss_flags"` // Task…
	UserEnded     uint64   `kcdata:"ts_user_time_in_terminated_thre"`
	SystemEnded   uint64   `kcdata:"ts_system_time_in_terminated_th"`
	Start         uint64   `kcdata:"ts_p_start_sec"` // seconds since 1970
	Footprint     uint64   `kcdata:"ts_task_size"`   // memory charged to it, in bytes
	MaxResident   uint64   `kcdata:"ts_max_resident_size"`
	SuspendCount  uint32   `kcdata:"ts_suspend_count"`
	Faults        uint32   `kcdata:"ts_faults"`
	PageIns       uint32   `kcdata:"ts_pageins"`
	CopyFaults    uint32   `kcdata:"ts_cow_faults"`
	WasThrottled  uint32   `kcdata:"ts_was_throttled"`
	DidThrottle   uint32   `kcdata:"ts_did_throttle"`
	LatencyQoS    uint32   `kcdata:"ts_latency_qos"`
	PID           int32    `kcdata:"ts_pid"`
	NameOfProcess [32]byte `kcdata:"ts_p_comm"`
}

// EndingTask is a task that is about to end, or a corpse (transitioning_task_snapshot).
type EndingTask struct {
	UniquePID     uint64   `kcdata:"tts_unique_pid"`
	Flags         uint64   `kcdata:"tts_ss_flags"`
	Transition    uint64   `kcdata:"tts_transition_type"`
	PID           int32    `kcdata:"tts_pid"`
	NameOfProcess [32]byte `kcdata:"tts_p_comm"`
}

// TaskDelta is what may have changed of a task since an earlier stackshot
// (task_delta_snapshot_v2).
type TaskDelta struct {
	UniquePID    uint64 `kcdata:"tds_unique_pid"`
	Flags        uint64 `kcdata:"tds_ss_flags"`
	UserEnded    uint64 `kcdata:"tds_user_time_in_terminated_thr"`
	SystemEnded  uint64 `kcdata:"tds_system_time_in_terminated_t"`
	Footprint    uint64 `kcdata:"tds_task_size"`
	MaxResident  uint64 `kcdata:"tds_max_resident_size"`
	SuspendCount uint32 `kcdata:"tds_suspend_count"`
	Faults       uint32 `kcdata:"tds_faults"`
	PageIns      uint32 `kcdata:"tds_pageins"`
	CopyFaults   uint32 `kcdata:"tds_cow_faults"`
	WasThrottled uint32 `kcdata:"tds_was_throttled"`
	DidThrottle  uint32 `kcdata:"tds_did_throttle"`
	LatencyQoS   uint32 `kcdata:"tds_latency_qos"`
}

// Flags of tasks (task_snapshot_flags). Threads have the first two as well.
const (
	User64         = 0x1 // generic_snapshot_flags: kUser64_p
	Kernel64       = 0x2
	TaskEnded      = 0x8
	TaskSuspended  = 0x10
	TaskTranslated = 0x10000000 // by Rosetta
)

// ThreadSnapshot is a thread (thread_snapshot_v4). Times are in the kernel's unit.
type ThreadSnapshot struct {
	ID               uint64 `kcdata:"ths_thread_id"`
	WaitEvent        uint64 `kcdata:"ths_wait_event"`
	Continuation     uint64 `kcdata:"ths_continuation"`
	Syscalls         uint64 `kcdata:"ths_total_syscalls"`
	Voucher          uint64 `kcdata:"ths_voucher_identifier"`
	QueueSerial      uint64 `kcdata:"ths_dqserialnum"`
	User             uint64 `kcdata:"ths_user_time"`
	System           uint64 `kcdata:"ths_sys_time"`
	Flags            uint64 `kcdata:"ths_ss_flags"` // Thread…
	LastRun          uint64 `kcdata:"ths_last_run_time"`
	LastMadeRunnable uint64 `kcdata:"ths_last_made_runnable_time"`
	State            uint32 `kcdata:"ths_state"` // State…
	SchedFlags       uint32 `kcdata:"ths_sched_flags"`
	BasePriority     int16  `kcdata:"ths_base_priority"`
	Priority         int16  `kcdata:"ths_sched_priority"`
	EffectiveQoS     uint8  `kcdata:"ths_eqos"`
	RequestedQoS     uint8  `kcdata:"ths_rqos"`
	OverrideQoS      uint8  `kcdata:"ths_rqos_override"`
	IOTier           uint8  `kcdata:"ths_io_tier"`
	Thread           uint64 `kcdata:"ths_thread_t"` // identifies the kernel's structure; not its address
	RequestedPolicy  uint64 `kcdata:"ths_requested_policy"`
	EffectivePolicy  uint64 `kcdata:"ths_effective_policy"`
}

// ThreadDelta is what may have changed of a thread that has not run since an earlier
// stackshot (thread_delta_snapshot_v3).
type ThreadDelta struct {
	ID               uint64 `kcdata:"tds_thread_id"`
	Voucher          uint64 `kcdata:"tds_voucher_identifier"`
	Flags            uint64 `kcdata:"tds_ss_flags"`
	LastMadeRunnable uint64 `kcdata:"tds_last_made_runnable_time"`
	State            uint32 `kcdata:"tds_state"`
	SchedFlags       uint32 `kcdata:"tds_sched_flags"`
	BasePriority     int16  `kcdata:"tds_base_priority"`
	Priority         int16  `kcdata:"tds_sched_priority"`
	EffectiveQoS     uint8  `kcdata:"tds_eqos"`
	RequestedQoS     uint8  `kcdata:"tds_rqos"`
	OverrideQoS      uint8  `kcdata:"tds_rqos_override"`
	IOTier           uint8  `kcdata:"tds_io_tier"`
	RequestedPolicy  uint64 `kcdata:"tds_requested_policy"`
	EffectivePolicy  uint64 `kcdata:"tds_effective_policy"`
}

// Flags of threads (thread_snapshot_flags).
const (
	ThreadHasSerial      = 0x4
	ThreadSuspended      = 0x40
	ThreadCut            = 0x80 // memory of its stack was not resident
	ThreadOnCore         = 0x800
	ThreadIdleWorker     = 0x1000
	ThreadMain           = 0x2000
	ThreadKernelCut      = 0x4000
	ThreadUserCut        = 0x8000
	ThreadUserAsyncCut   = 0x10000
	threadTellsWhoseIsIt = ThreadKernelCut | ThreadUserCut | ThreadUserAsyncCut
)

// States of threads (SS_TH_*), which may be combined.
const (
	StateWait        = 0x1
	StateSuspended   = 0x2
	StateRun         = 0x4
	StateUnstoppable = 0x8 // waits uninterruptibly
	StateEnding      = 0x10
	StateEnded       = 0x20
	StateIdle        = 0x80 // idle thread of a processor
)

// CPUTimes are in microseconds (stackshot_cpu_times_v2).
type CPUTimes struct {
	User     uint64 `kcdata:"user_usec"`
	System   uint64 `kcdata:"system_usec"`
	Runnable uint64 `kcdata:"runnable_usec"`
}

// IOStats counts reads and writes (io_stats_snapshot).
type IOStats struct {
	Reads         uint64    `kcdata:"ss_disk_reads_count"`
	ReadSize      uint64    `kcdata:"ss_disk_reads_size"`
	Writes        uint64    `kcdata:"ss_disk_writes_count"`
	WriteSize     uint64    `kcdata:"ss_disk_writes_size"`
	ByPriority    [4]uint64 `kcdata:"ss_io_priority_count"`
	SizeBy        [4]uint64 `kcdata:"ss_io_priority_size"`
	Paging        uint64    `kcdata:"ss_paging_count"`
	PagingSize    uint64    `kcdata:"ss_paging_size"`
	NonPaging     uint64    `kcdata:"ss_non_paging_count"`
	NonPagingSize uint64    `kcdata:"ss_non_paging_size"`
	Data          uint64    `kcdata:"ss_data_count"`
	DataSize      uint64    `kcdata:"ss_data_size"`
	Metadata      uint64    `kcdata:"ss_metadata_count"`
	MetadataSize  uint64    `kcdata:"ss_metadata_size"`
}

// WaitInfo is what a thread waits for (stackshot_thread_waitinfo_v2).
type WaitInfo struct {
	Owner     uint64 `kcdata:"owner"` // a thread, a pid or another number: see [WaitKind]
	Waiter    uint64 `kcdata:"waiter"`
	Context   uint64 `kcdata:"context"` // distinguishes objects; for memory its address
	Kind      uint8  `kcdata:"wait_type"`
	PortLabel int16  `kcdata:"portlabel_id"`
	Flags     uint32 `kcdata:"wait_flags"`
}

// SpecialReply: a [WaitInfo] is about a port for a single reply.
const SpecialReply = 0x1

// Turnstile is what a wait leads to, perhaps through other waiting threads
// (stackshot_thread_turnstileinfo_v2).
type Turnstile struct {
	Waiter    uint64 `kcdata:"waiter"`
	Context   uint64 `kcdata:"turnstile_context"` // a thread's id, a pid, or a work queue
	Priority  uint8  `kcdata:"turnstile_priority"`
	Hops      uint8  `kcdata:"number_of_hops"`
	Flags     uint64 `kcdata:"turnstile_flags"`
	PortLabel int16  `kcdata:"portlabel_id"`
}

// What the context of a [Turnstile] is (STACKSHOT_TURNSTILE_STATUS_*).
const (
	TurnstileThread = 0x08
	TurnstileTask   = 0x10 // a pid
)

// PortLabel is the Mach service that a port belongs to (portlabel_info).
type PortLabel struct {
	ID     int16  `kcdata:"portlabel_id"`
	Flags  uint16 `kcdata:"portlabel_flags"`
	Domain int8   `kcdata:"portlabel_domain"`
}

// Group is a group of threads that are scheduled together (thread_group_snapshot_v3).
type Group struct {
	ID           uint64   `kcdata:"tgs_id"`
	Name         [16]byte `kcdata:"tgs_name"`
	Flags        uint64   `kcdata:"tgs_flags"`
	NameGoesOnAs [16]byte `kcdata:"tgs_name_cont"`
}

// Coalition is a group of tasks (jetsam_coalition_snapshot).
type Coalition struct {
	ID     uint64 `kcdata:"jcs_id"`
	Flags  uint64 `kcdata:"jcs_flags"`
	Group  uint64 `kcdata:"jcs_thread_group"`
	Leader uint64 `kcdata:"jcs_leader_task_uniqueid"`
}

// Instructions counts instructions and cycles (instrs_cycles_snapshot_v2).
type Instructions struct {
	Instructions uint64 `kcdata:"ics_instructions"`
	Cycles       uint64 `kcdata:"ics_cycles"`
	OnPerformer  uint64 `kcdata:"ics_p_instructions"`
	CyclesThere  uint64 `kcdata:"ics_p_cycles"`
}

// StackTop is the word at a thread's stack pointer (stack_snapshot_stacktop).
type StackTop struct {
	SP       uint64  `kcdata:"sp"`
	Contents [8]byte `kcdata:"stack_contents"`
}

// Architecture is a program's architecture (stackshot_cpu_architecture).
type Architecture struct {
	Type    int32 `kcdata:"cputype"`
	Subtype int32 `kcdata:"cpusubtype"`
}

// CodeSigning is stackshot_task_codesigning_info.
type CodeSigning struct {
	Flags uint64 `kcdata:"csflags"`
	Trust uint32 `kcdata:"cs_trust_level"`
}

// Suspension is when a task was last suspended (stackshot_suspension_info). Times are
// in the kernel's unit.
type Suspension struct {
	LastStart uint64 `kcdata:"tss_last_start"`
	LastEnd   uint64 `kcdata:"tss_last_end"`
	Count     uint64 `kcdata:"tss_count"`
	Duration  uint64 `kcdata:"tss_duration"`
}

// Suspender is a process that suspended a task (stackshot_suspension_source).
type Suspender struct {
	Time          uint64   `kcdata:"tss_time"`
	Thread        uint64   `kcdata:"tss_tid"`
	PID           int32    `kcdata:"tss_pid"`
	NameOfProcess [65]byte `kcdata:"tss_procname"`
}
