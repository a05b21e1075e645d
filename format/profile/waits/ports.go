package waits

import "stacksnap/task"

// portBits are set in each name of a port (osfmk/ipc/ipc_entry.h, ipc_entry_name_mask). In
// the word of a lock, these bits have other uses.
const portBits = 3

// machSelfSlot is __TSD_MACH_THREAD_SELF: the index of the port's name in a thread's own
// data, which its handle points to (libplatform, private/os/tsd.h; osfmk/kern/thread.c,
// THREAD_IDENTIFIER_INFO).
const machSelfSlot = 3

// byPort returns the live thread whose port has that name in the target. word may be the
// word of a lock that has the name. It returns 0 if no thread, or more than one, has that
// name.
func (f *Finder) byPort(word uint32) task.ThreadID {
	name := word | portBits
	if f.ports == nil {
		f.readPorts()
	}
	if _, known := f.ports[name]; !known && !f.listed {
		f.list()
		f.readPorts()
	}
	return f.ports[name]
}

func (f *Finder) readPorts() {
	f.ports = map[uint32]task.ThreadID{}
	for id := range f.names {
		name, ok := f.portOf(id)
		if !ok {
			continue
		}
		if _, taken := f.ports[name]; taken {
			id = 0
		}
		f.ports[name] = id
	}
}

// portOf returns the target's name for a thread's port.
func (f *Finder) portOf(id task.ThreadID) (uint32, bool) {
	if f.able.ThreadHandle == nil {
		return 0, false
	}
	handle, ok := f.able.ThreadHandle(id)
	if !ok || handle == 0 {
		return 0, false
	}
	v, ok := f.number(handle+machSelfSlot*task.Addr(f.info.Arch.PointerSize()), 4)
	return uint32(v) | portBits, ok && v != 0
}
