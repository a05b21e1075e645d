package stackshot

import (
	"fmt"
	"strings"

	"stacksnap/task/stackshot/kcdata"
)

// Crash is what the kernel saves of a crashed process (TASK_CRASHINFO_*).
type Crash struct {
	PID           *uint64        `kcdata:"pid"`
	ParentPID     *uint64        `kcdata:"ppid"`
	Responsible   *uint64        `kcdata:"responsible_pid"`
	Name          string         `kcdata:"p_comm"`
	Path          string         `kcdata:"p_path"`
	Start         *TimeOfDay     `kcdata:"proc_starttime"`
	Thread        *uint64        `kcdata:"crashed_threadid"`
	Exception     *ExceptionCode `kcdata:"mach_exception_data_t"`
	Kind          *uint64        `kcdata:"exception_type"`
	Identity      *Identity      `kcdata:"proc_uniqidentifierinfo"`
	Usage         *Usage         `kcdata:"rusage_info"`
	User          *uint64        `kcdata:"uid"`
	UserGroup     *uint64        `kcdata:"gid"`
	CPUType       *uint64        `kcdata:"cputype"`
	ArgumentCount *uint64        `kcdata:"argc"`
	ArgumentSize  *uint64        `kcdata:"p_argslen"`
	Stack         *uint64        `kcdata:"userstack_ptr"`
	Signing       *uint64        `kcdata:"p_csflags"`
	Flags         *uint64        `kcdata:"p_flags"`
	Dirty         *uint64        `kcdata:"dirty_flags"`
	Coalition     *uint64        `kcdata:"coalition_id"`
	Inside        []Crash        `kcdata:",inside"` // nested buffers
	Shots         []*Shot        // nested stackshots

	Unknown, Bad int   // as in a [Shot]
	Cut          error // why the buffer is incomplete
}

// TimeOfDay is struct timeval64.
type TimeOfDay struct {
	Seconds int64 `kcdata:"tv_sec"`
	Micros  int64 `kcdata:"tv_usec"`
}

// ExceptionCode is mach_exception_data_t: the exception's code and subcode.
type ExceptionCode struct {
	Code    uint64 `kcdata:"code_0"`
	Subcode uint64 `kcdata:"code_1"`
}

// Identity is crashinfo_proc_uniqidentifierinfo.
type Identity struct {
	UUID   [16]byte `kcdata:"p_uuid"` // of the program
	ID     uint64   `kcdata:"p_uniqueid"`
	Parent uint64   `kcdata:"p_puniqueid"`
}

// Usage is rusage_info_v3 (bsd/sys/resource.h).
type Usage struct {
	UUID               [16]byte `kcdata:"ri_uuid"`
	User               uint64   `kcdata:"ri_user_time"`
	System             uint64   `kcdata:"ri_system_time"`
	IdleWakeups        uint64   `kcdata:"ri_pkg_idle_wkups"`
	Wakeups            uint64   `kcdata:"ri_interrupt_wkups"`
	PageIns            uint64   `kcdata:"ri_pageins"`
	Wired              uint64   `kcdata:"ri_wired_size"`
	Resident           uint64   `kcdata:"ri_resident_size"`
	Footprint          uint64   `kcdata:"ri_phys_footprint"`
	Start              uint64   `kcdata:"ri_proc_start_abstime"`
	Exit               uint64   `kcdata:"ri_proc_exit_abstime"`
	ChildUser          uint64   `kcdata:"ri_child_user_time"`
	ChildSystem        uint64   `kcdata:"ri_child_system_time"`
	ChildIdleWakeups   uint64   `kcdata:"ri_child_pkg_idle_wkups"`
	ChildWakeups       uint64   `kcdata:"ri_child_interrupt_wkups"`
	ChildPageIns       uint64   `kcdata:"ri_child_pageins"`
	ChildElapsed       uint64   `kcdata:"ri_child_elapsed_abstime"`
	Read               uint64   `kcdata:"ri_diskio_bytesread"`
	Written            uint64   `kcdata:"ri_diskio_byteswritten"`
	QoSDefault         uint64   `kcdata:"ri_cpu_time_qos_default"`
	QoSMaintenance     uint64   `kcdata:"ri_cpu_time_qos_maintenance"`
	QoSBackground      uint64   `kcdata:"ri_cpu_time_qos_background"`
	QoSUtility         uint64   `kcdata:"ri_cpu_time_qos_utility"`
	QoSLegacy          uint64   `kcdata:"ri_cpu_time_qos_legacy"`
	QoSUserInitiated   uint64   `kcdata:"ri_cpu_time_qos_user_initiated"`
	QoSUserInteractive uint64   `kcdata:"ri_cpu_time_qos_user_interactiv"`
	BilledSystemTime   uint64   `kcdata:"ri_billed_system_time"`
	ServicedSystemTime uint64   `kcdata:"ri_serviced_system_time"`
}

// maxInside is how deep buffers may be nested.
const maxInside = 4

// read reads a buffer at a nesting depth.
func (c *Crash) read(r *kcdata.Reader, depth int) {
	for it, ok := r.Next(); ok; it, ok = r.Next() {
		if it.Type == kcdata.Nested && depth < maxInside {
			c.addInside(it.Data(), depth+1)
		} else {
			c.add(&it)
		}
	}
	c.Cut = r.Err()
}

// addInside adds a nested buffer. Kinds other than these two, such as an exit reason,
// add nothing.
func (c *Crash) addInside(data []byte, depth int) {
	r := kcdata.NewReader(data)
	switch kind, _ := r.Buffer(); kind {
	case kcdata.CrashInfo:
		var in Crash
		in.read(r, depth)
		c.Inside = append(c.Inside, in)
	case kcdata.Stackshot, kcdata.DeltaStackshot:
		shots, _ := parseAt(data, nil, depth) // there is one, which has its own error
		c.Shots = append(c.Shots, shots...)
	default:
		c.Unknown++
	}
}

// shots returns the stackshots in it and in its nested buffers.
func (c *Crash) shots() []*Shot {
	all := c.Shots
	for i := range c.Inside {
		all = append(all, c.Inside[i].shots()...)
	}
	return all
}

// CrashError means that a file is what the kernel saves of a crashed process, without
// any stacks.
type CrashError struct{ *Crash }

func (e *CrashError) Error() string {
	c := e.Crash
	for c.Name == "" && c.PID == nil && len(c.Inside) > 0 {
		c = &c.Inside[0]
	}
	line := []string{"what the kernel keeps of a crashed process, without stacks"}
	for _, part := range []string{c.process(), c.end()} {
		if part != "" {
			line = append(line, part)
		}
	}
	return strings.Join(line, ": ") + "; for stacks open macOS's report of the crash, an .ips file"
}

// process names the process; "" if nothing is known.
func (c *Crash) process() string {
	text := c.Name
	if c.PID != nil {
		text = strings.TrimSpace(fmt.Sprintf("%s [%d]", c.Name, int32(*c.PID)))
	}
	if c.Path != "" {
		text = strings.TrimSpace(text + " of " + c.Path)
	}
	return text
}

// end says what ended the process, and in which thread.
func (c *Crash) end() string {
	cause := c.Cause()
	text := cause.String()
	if cause.Thread != 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s in thread %#x", text, uint64(cause.Thread)))
	}
	return text
}

func (c *Crash) add(it *kcdata.Item) {
	t := it.Type
	if it.IsArray() {
		t = uint32(it.Flags >> 32)
	}
	set, known := crashItems[t]
	switch {
	case !known:
		c.Unknown++
	case !set(c, it):
		c.Bad++
	}
}

// crashItems are the items of a crash buffer.
var crashItems = map[uint32]func(*Crash, *kcdata.Item) bool{
	0x802: func(c *Crash, it *kcdata.Item) bool { return one(&c.Identity, it) },
	0x805: func(c *Crash, it *kcdata.Item) bool { return number32(&c.PID, it) },
	0x806: func(c *Crash, it *kcdata.Item) bool { return number32(&c.ParentPID, it) },
	0x808: func(c *Crash, it *kcdata.Item) bool { return one(&c.Usage, it) },
	0x809: func(c *Crash, it *kcdata.Item) bool { return text(&c.Name, it) },
	0x80b: func(c *Crash, it *kcdata.Item) bool { return one(&c.Start, it) },
	0x80c: func(c *Crash, it *kcdata.Item) bool { return number(&c.Stack, it) },
	0x80d: func(c *Crash, it *kcdata.Item) bool { return number32(&c.ArgumentSize, it) },
	0x80e: func(c *Crash, it *kcdata.Item) bool { return one(&c.Exception, it) },
	0x80f: func(c *Crash, it *kcdata.Item) bool { return text(&c.Path, it) },
	0x810: func(c *Crash, it *kcdata.Item) bool { return number32(&c.Signing, it) },
	0x812: func(c *Crash, it *kcdata.Item) bool { return number32(&c.User, it) },
	0x813: func(c *Crash, it *kcdata.Item) bool { return number32(&c.UserGroup, it) },
	0x814: func(c *Crash, it *kcdata.Item) bool { return number32(&c.ArgumentCount, it) },
	0x815: func(c *Crash, it *kcdata.Item) bool { return number32(&c.Flags, it) },
	0x816: func(c *Crash, it *kcdata.Item) bool { return number32(&c.CPUType, it) },
	0x818: func(c *Crash, it *kcdata.Item) bool { return number32(&c.Responsible, it) },
	0x819: func(c *Crash, it *kcdata.Item) bool { return number32(&c.Dirty, it) },
	0x81a: func(c *Crash, it *kcdata.Item) bool { return number(&c.Thread, it) },
	0x81b: func(c *Crash, it *kcdata.Item) bool { return number(&c.Coalition, it) },
	0x838: func(c *Crash, it *kcdata.Item) bool { return number32(&c.Kind, it) },
}
