package machocore

import (
	"encoding/binary"
	"time"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
)

// What gcore writes in addition to the kernel's format (Apple's system_cmds,
// gcore/loader_additions.h, gcore/portable_task_crash_info_t.h). It has its own
// numbers of load commands.
const (
	lcCoreInfo = 0x140
	lcFileRef  = 0x141
	lcCoreData = 0x142
)

// coreInfo decodes a proto_coreinfo_command: { u32 version, u16 type, u16 pageshift,
// u64 address of the program, uuid, u64 dyninfo }. dyninfo is dyld's list of images,
// or dyld itself.
func (n *notes) coreInfo(body []byte) bool {
	if len(body) < 40 || binary.LittleEndian.Uint32(body) != 1 {
		return false
	}
	n.setPageSize(uint32(binary.LittleEndian.Uint16(body[6:])))
	if dyld := binary.LittleEndian.Uint64(body[32:]); dyld != notKnown {
		n.loaderInfo = task.Addr(dyld)
	}
	return true
}

// mapped decodes a proto_coredata_command, whose bytes may be compressed, or a
// proto_fileref_command, whose bytes are in another file: { [filename, id], u64
// vmaddr, vmsize, fileoff, filesize, u32 maxprot, prot, flags, … }. Bytes that are
// not stored as in memory count as not saved.
func mapped(cmd uint32, body []byte) (s saved.Segment, compressed, ok bool) {
	const length, fileName = 44, 24
	if cmd == lcFileRef && len(body) >= fileName {
		body = body[fileName:]
	}
	if len(body) < length {
		return s, false, false
	}
	c := cursor{b: body}
	at, size, offset, kept := c.u64(), c.u64(), c.u64(), c.u64()
	c.u32()
	prot, flags := c.u32(), c.u32()
	s = saved.Segment{Start: task.Addr(at), End: task.Addr(at + size), Offset: int64(offset), Kept: min(kept, size), Prot: task.Prot(prot & 7)}
	compressed = cmd == lcCoreData && flags>>4&7 != 0
	if compressed || cmd == lcFileRef {
		s.Offset, s.Kept = 0, 0
	}
	return s, compressed, s.End > s.Start && s.Offset >= 0
}

// addMapped adds a segment that only gcore writes.
func (p *Process) addMapped(cmd uint32, body []byte, at int64) (missing uint64) {
	s, compressed, ok := mapped(cmd, body)
	switch {
	case !ok:
		p.bad.Add(at, "a segment of impossible bounds")
		return 0
	case compressed:
		p.bad.Add(at, "compressed memory, which is not read, at %v", s.Start)
	}
	missing = s.Clip(p.file.Size())
	p.memory.Segments = append(p.memory.Segments, s)
	return missing
}

// processNote is the contents of the note "task crashinfo".
type processNote struct {
	pid, parent            int
	name, path, parentName string
	start                  time.Time
	translated             bool
}

// Offsets in a portable_task_crash_info_t of major version 2, which is packed.
const (
	crashPID        = 12
	crashParent     = 16
	crashStart      = 28
	crashName       = 44
	crashPath       = 52
	crashParentName = 60
	crashFlags      = 92
	crashLoaderInfo = 156
	crashSize       = 164

	pTranslated = 0x20000 // P_TRANSLATED of extern_proc.p_flag
)

// taskCrashInfo decodes the note "task crashinfo", and reads the strings that it points to
// from p. It reports whether the note has the known version and size.
func (n *notes) taskCrashInfo(b []byte, p part) bool {
	const major = 2
	if len(b) < crashSize || binary.LittleEndian.Uint32(b) != major {
		return false
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	n.process = processNote{
		pid: int(int32(u32(crashPID))), parent: int(int32(u32(crashParent))),
		name:       stringAt(p, u64(crashName), maxPath),
		path:       stringAt(p, u64(crashPath), maxPath),
		parentName: stringAt(p, u64(crashParentName), maxPath),
		translated: u32(crashFlags)&pTranslated != 0,
	}
	if s, us := u64(crashStart), u64(crashStart+8); s > 0 && s < 1<<40 && us < 1e6 {
		n.process.start = time.Unix(int64(s), int64(us)*1000)
	}
	if a := u64(crashLoaderInfo); a != notKnown {
		n.loaderInfo = task.Addr(a)
	}
	return true
}
