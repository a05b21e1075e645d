package jsondoc

import "time"

// jsonDocument and the types below define the document that JSON.md describes.
type jsonDocument struct {
	Schema        string             `json:"schema"`
	Version       int                `json:"version"`
	Tool          string             `json:"tool"`
	Summary       string             `json:"summary,omitempty"`
	Target        jsonTarget         `json:"target"`
	Start         *time.Time         `json:"start,omitempty"`
	End           *time.Time         `json:"end,omitempty"`
	Interval      int64              `json:"interval_ns,omitempty"`
	Snapshots     int                `json:"snapshots"`
	MissedTicks   int                `json:"missed_ticks,omitempty"`
	Halted        int                `json:"halted,omitempty"`
	Stops         int                `json:"stops"`
	Stopped       int64              `json:"stopped_ns"`
	LongestStop   int64              `json:"longest_stop_ns"`
	OwnCPU        int64              `json:"own_cpu_ns,omitempty"`
	Frames        int                `json:"frames"`
	Walks         int                `json:"walks"`
	Bottoms       int                `json:"walks_to_bottom"`
	MissedThreads int                `json:"missed_threads,omitempty"`
	Notes         []string           `json:"notes"`
	Images        []jsonImage        `json:"images"`
	Threads       []jsonThread       `json:"threads"`
	Tasks         []jsonTask         `json:"tasks,omitempty"`
	TaskDeadlocks []jsonTaskCircle   `json:"task_deadlocks,omitempty"`
	Deadlocks     [][]jsonWaiter     `json:"deadlocks,omitempty"`
	DeadlockTimes []jsonDeadlockTime `json:"deadlocks_stood,omitempty"`
	View          *jsonView          `json:"view,omitempty"`
}

type jsonTarget struct {
	PID         int            `json:"pid"`
	Name        string         `json:"name,omitempty"`
	Path        string         `json:"path,omitempty"`
	LoadAddress string         `json:"load_address,omitempty"`
	Arch        string         `json:"arch"`
	Translated  bool           `json:"translated,omitempty"`
	OS          string         `json:"os,omitempty"`
	OSVersion   string         `json:"os_version,omitempty"`
	ParentPID   int            `json:"parent_pid,omitempty"`
	ParentName  string         `json:"parent_name,omitempty"`
	Start       *time.Time     `json:"start,omitempty"`
	Live        bool           `json:"live"`
	CodeType    string         `json:"code_type,omitempty"`
	BundleID    string         `json:"bundle_id,omitempty"`
	Version     string         `json:"bundle_version,omitempty"`
	Build       string         `json:"bundle_build,omitempty"`
	Folder      string         `json:"working_folder,omitempty"`
	UserID      *uint32        `json:"user_id,omitempty"`
	User        string         `json:"user,omitempty"`
	Group       *jsonContainer `json:"cgroup,omitempty"`
	TracerPID   int            `json:"tracer_pid,omitempty"`
	TracerName  string         `json:"tracer_name,omitempty"`
	Command     []string       `json:"command,omitempty"`
	CommandCut  bool           `json:"command_cut,omitempty"`
	Model       string         `json:"hardware_model,omitempty"`
	CPU         string         `json:"cpu,omitempty"`
	CPUs        int            `json:"cpus,omitempty"`
	ActiveCPUs  int            `json:"active_cpus,omitempty"`
	Memory      uint64         `json:"memory_bytes,omitempty"`
	Footprint   uint64         `json:"footprint_bytes,omitempty"`
	Peak        uint64         `json:"footprint_peak_bytes,omitempty"`
	Cache       *jsonCache     `json:"shared_cache,omitempty"`
	Crash       *jsonCrash     `json:"crash,omitempty"`
}

type jsonContainer struct {
	Manager string `json:"manager,omitempty"`
	ID      string `json:"id"`
	Pod     string `json:"pod,omitempty"`
}

type jsonCache struct {
	UUID  string `json:"uuid"`
	Base  string `json:"base_address"`
	Slide string `json:"slide"`
}

type jsonCrash struct {
	Signal string `json:"signal"`
	Detail string `json:"detail,omitempty"`
	Thread uint64 `json:"thread,omitempty"`
}

type jsonImage struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	Load      string `json:"load_address"`
	End       string `json:"end_address"`
	ID        string `json:"id,omitempty"`
	Arch      string `json:"arch,omitempty"`
	Main      bool   `json:"main,omitempty"`
	Symbols   bool   `json:"symbols"`
	Unnamed   bool   `json:"unnamed,omitempty"`
	Generated bool   `json:"generated,omitempty"`
	Runtime   bool   `json:"runtime,omitempty"`
	Note      string `json:"note,omitempty"`
	Error     string `json:"error,omitempty"`
}

type jsonThread struct {
	ID           uint64         `json:"id"`
	Name         string         `json:"name,omitempty"`
	RuntimeName  string         `json:"runtime_name,omitempty"`
	Goroutine    *jsonGoroutine `json:"goroutine,omitempty"`
	Queue        string         `json:"queue,omitempty"`
	QueueSerial  uint64         `json:"queue_serial,omitempty"`
	QueueKind    string         `json:"queue_kind,omitempty"`
	Main         bool           `json:"main,omitempty"`
	State        string         `json:"state"`
	Processor    *int           `json:"on_cpu,omitempty"`
	Queued       bool           `json:"waits_for_cpu,omitempty"`
	User         int64          `json:"user_ns"`
	System       int64          `json:"system_ns"`
	Used         int64          `json:"used_ns"`
	Spent        *jsonSpent     `json:"spent,omitempty"`
	Lifetime     *jsonLifetime  `json:"since_start,omitempty"`
	NotRun       int64          `json:"not_run_ns,omitempty"`
	SuspendCount int            `json:"suspend_count,omitempty"`
	QoS          string         `json:"qos,omitempty"`
	Priority     int            `json:"priority,omitempty"`
	BasePriority int            `json:"base_priority,omitempty"`
	Wait         *jsonWait      `json:"wait,omitempty"`
	Looks        int            `json:"looks,omitempty"`
	Waits        []jsonWaited   `json:"waits,omitempty"`
	Samples      int            `json:"samples"`
	First        int            `json:"first"`
	Last         int            `json:"last"`
	States       map[string]int `json:"states"`
	Unstopped    int            `json:"unstopped,omitempty"`
	Empty        int            `json:"empty,omitempty"`
	Error        string         `json:"error,omitempty"`
	Same         []jsonSame     `json:"same,omitempty"`
	Together     *jsonTogether  `json:"together,omitempty"`
	Nodes        []jsonNode     `json:"nodes"`
}

// jsonLifetime is a task.Lifetime.
type jsonLifetime struct {
	Age        int64  `json:"age_ns"`
	Ran        int64  `json:"on_cpu_ns"`
	Queued     int64  `json:"waiting_for_cpu_ns"`
	Faults     uint64 `json:"page_faults"`
	DiskFaults uint64 `json:"page_faults_from_disk"`
	Nice       int    `json:"nice"`
}

type jsonWait struct {
	Call       string `json:"call"`
	Object     string `json:"object,omitempty"`
	Lock       string `json:"lock,omitempty"`
	Address    string `json:"address,omitempty"`
	Owner      uint64 `json:"owner,omitempty"`
	OwnerName  string `json:"owner_name,omitempty"`
	OwnerPID   int    `json:"owner_pid,omitempty"`
	Readers    int    `json:"readers,omitempty"`
	Receives   bool   `json:"receives,omitempty"`
	Variable   string `json:"variable,omitempty"`
	GoneOwner  uint64 `json:"gone_owner,omitempty"`
	GoneEnded  bool   `json:"gone_owner_ended,omitempty"`
	Parent     int    `json:"gone_owner_parent,omitempty"`
	ParentName string `json:"gone_owner_parent_name,omitempty"`

	Hung    int          `json:"hung,omitempty"`
	Peer    *jsonPeer    `json:"peer,omitempty"`
	Stalled *jsonStalled `json:"stalled,omitempty"`
}

type jsonStalled struct {
	State  string `json:"state"`
	Count  int    `json:"count"`
	Remote string `json:"remote"`
	Since  int64  `json:"since_ns,omitempty"`
	Unread uint64 `json:"unread,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Name   string `json:"name,omitempty"`
	Others int    `json:"others,omitempty"`
}

type jsonPeer struct {
	PID        int    `json:"pid"`
	Name       string `json:"name,omitempty"`
	Thread     uint64 `json:"thread,omitempty"`
	ThreadName string `json:"thread_name,omitempty"`
	Action     string `json:"act"`
	Others     bool   `json:"others_unknown,omitempty"`
	Self       bool   `json:"self,omitempty"`
	AlsoSelf   bool   `json:"also_self,omitempty"`
}

type jsonSpent struct {
	OnCPU   int64 `json:"on_cpu_ns"`
	Queued  int64 `json:"waiting_for_cpu_ns"`
	Blocked int64 `json:"blocked_ns"`
}

type jsonWaited struct {
	jsonWait
	Looks  int  `json:"looks"`
	Owners bool `json:"several_owners,omitempty"`
}

type jsonDeadlockTime struct {
	From  int64 `json:"from_ns"`
	To    int64 `json:"to_ns"`
	Looks int   `json:"looks"`
	Ended bool  `json:"ended"`
}

type jsonWaiter struct {
	ID      uint64    `json:"id"`
	Name    string    `json:"name,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Process string    `json:"process,omitempty"`
	Wait    *jsonWait `json:"wait"`
}

type jsonSame struct {
	ID          uint64 `json:"id"`
	Name        string `json:"name,omitempty"`
	RuntimeName string `json:"runtime_name,omitempty"`
	Goroutine   uint64 `json:"goroutine,omitempty"`
}

type jsonGoroutine struct {
	ID     uint64      `json:"id"`
	Labels []jsonLabel `json:"labels,omitempty"`
}

type jsonLabel struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type jsonNode struct {
	Depth       int        `json:"depth"`
	Parent      int        `json:"parent"`
	Function    string     `json:"function,omitempty"`
	Symbol      string     `json:"symbol,omitempty"`
	Overload    string     `json:"overload,omitempty"`
	Offset      *uint64    `json:"offset,omitempty"`
	Image       *int       `json:"image,omitempty"`
	ImageOffset *uint64    `json:"image_offset,omitempty"`
	Address     string     `json:"address,omitempty"`
	Also        []string   `json:"also,omitempty"`
	AlsoMore    bool       `json:"also_more,omitempty"`
	Start       string     `json:"function_address,omitempty"`
	Return      bool       `json:"return,omitempty"`
	Inlined     bool       `json:"inlined,omitempty"`
	Own         bool       `json:"own,omitempty"`
	Kernel      bool       `json:"kernel,omitempty"`
	File        string     `json:"file,omitempty"`
	Line        int        `json:"line,omitempty"`
	Column      int        `json:"column,omitempty"`
	By          string     `json:"by,omitempty"`
	Why         string     `json:"why,omitempty"`
	Guess       bool       `json:"guess,omitempty"`
	Cut         *jsonCut   `json:"cut,omitempty"`
	Folded      *jsonFold  `json:"left_out,omitempty"`
	Count       int        `json:"count"`
	Self        int        `json:"self"`
	Spent       *jsonSpent `json:"self_spent,omitempty"`
}

type jsonCut struct {
	Reason string `json:"reason"`
	Need   string `json:"need,omitempty"`
	Detail string `json:"detail,omitempty"`
}
