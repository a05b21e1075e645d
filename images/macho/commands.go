package macho

import (
	"fmt"

	"stacksnap/images/object"
	"stacksnap/task"
)

// maxSections is the maximum number of sections. Only the first 255 can have symbols.
const maxSections = 1 << 16

// Version is an X.Y.Z version as packed in load commands: xxxx.yy.zz.
type Version uint32

// String formats the version as X.Y, or X.Y.Z if Z is not 0.
func (v Version) String() string {
	s := fmt.Sprintf("%d.%d", v>>16, v>>8&0xff)
	if v&0xff != 0 {
		s += fmt.Sprintf(".%d", v&0xff)
	}
	return s
}

// Build is the contents of LC_BUILD_VERSION, or of the older LC_VERSION_MIN_…. It is
// zero without either.
type Build struct {
	Platform   uint32 // PLATFORM_… of <mach-o/loader.h>: 1 is macOS
	MinOS, SDK Version
}

// place is a part of __LINKEDIT, by its offset in the file.
type place struct {
	offset, size uint64
}

// commands are the decoded load commands.
type commands struct {
	segments       []object.Segment
	sections       []Section // n_sect counts them from 1
	uuid           []byte
	uuidAt         uint64 // offset from the header
	build          Build
	installName    string
	currentVersion Version
	dylinker       string
	functionStarts place // LC_FUNCTION_STARTS
	dataInCode     place // LC_DATA_IN_CODE
	nlists         place
	nsyms          uint32
	strings        place
	indirect       place // the indirect symbol table
	binds          place // LC_DYLD_INFO: symbols of other images, by address
	lazyBinds      place // those that stubs bind on their first call
	chained        place // LC_DYLD_CHAINED_FIXUPS
	encrypted      bool  // part of __TEXT in the file is encrypted; memory is not
}

// parseCommands decodes the load commands, which follow the header.
func parseCommands(h *header, b []byte) (commands, error) {
	var cmds commands
	whole := len(b)
	for range h.ncmds {
		c := cursor{data: b, order: h.order}
		cmd, size := c.u32(), c.u32()
		if c.short || size < 8 || uint64(size) > uint64(len(b)) {
			return cmds, malformed("a load command passes the end of them")
		}
		c.data = b[8:size]
		if err := cmds.read(h, cmd, b[:size], &c); err != nil {
			return cmds, err
		}
		if c.short {
			return cmds, malformed("load command %#x has only %d bytes", cmd, size)
		}
		if cmd == lcUUID {
			cmds.uuidAt = uint64(h.size() + whole - len(b) + 8)
		}
		b = b[size:]
	}
	return cmds, nil
}

// read decodes a load command; c is after its cmd and cmdsize.
func (cmds *commands) read(h *header, cmd uint32, whole []byte, c *cursor) error {
	switch cmd {
	case lcSegment, lcSegment64:
		return cmds.readSegment(c, cmd == lcSegment64)
	case lcUUID:
		cmds.uuid = append([]byte(nil), c.bytes(16)...)
	case lcBuildVersion:
		cmds.build = Build{Platform: c.u32(), MinOS: Version(c.u32()), SDK: Version(c.u32())}
	case lcMinMacOS, lcMinIOS, lcMinTVOS, lcMinWatchOS:
		cmds.build = Build{Platform: minVersionPlatform(cmd), MinOS: Version(c.u32()), SDK: Version(c.u32())}
	case lcIDDylib:
		cmds.installName = commandString(whole, c.u32())
		c.u32() // timestamp
		cmds.currentVersion = Version(c.u32())
	case lcIDDylinker:
		cmds.dylinker = commandString(whole, c.u32())
	case lcFunctionStarts:
		cmds.functionStarts = place{uint64(c.u32()), uint64(c.u32())}
	case lcDataInCode:
		cmds.dataInCode = place{uint64(c.u32()), uint64(c.u32())}
	case lcDyldInfo, lcDyldInfoOnly:
		c.bytes(8) // rebases
		cmds.binds = place{uint64(c.u32()), uint64(c.u32())}
		c.bytes(8) // weak binds
		cmds.lazyBinds = place{uint64(c.u32()), uint64(c.u32())}
	case lcChainedFixups:
		cmds.chained = place{uint64(c.u32()), uint64(c.u32())}
	case lcSymtab:
		cmds.nlists.offset, cmds.nsyms = uint64(c.u32()), c.u32()
		cmds.nlists.size = uint64(cmds.nsyms) * uint64(nlistSize(h.is64))
		cmds.strings = place{uint64(c.u32()), uint64(c.u32())}
	case lcEncryption, lcEncryption64:
		c.bytes(8) // cryptoff, cryptsize
		cmds.encrypted = c.u32() != 0
	case lcDysymtab:
		c.bytes(48) // up to indirectsymoff
		cmds.indirect = place{uint64(c.u32()), 4 * uint64(c.u32())}
	}
	return nil
}

func minVersionPlatform(cmd uint32) uint32 {
	return map[uint32]uint32{lcMinMacOS: 1, lcMinIOS: 2, lcMinTVOS: 3, lcMinWatchOS: 4}[cmd]
}

// commandString returns the string at an offset from a command's start (lc_str).
func commandString(whole []byte, offset uint32) string {
	if uint64(offset) >= uint64(len(whole)) {
		return ""
	}
	return cString(whole[offset:])
}

// readSegment decodes a segment_command(_64) and the sections after it.
func (cmds *commands) readSegment(c *cursor, is64 bool) error {
	s := object.Segment{Name: c.name()}
	s.VMAddr, s.Size = c.word(is64), c.word(is64)
	s.Offset, s.FileSize = c.word(is64), c.word(is64)
	c.u32() // maxprot
	s.Prot = protOf(c.u32())
	nsects := c.u32()
	c.u32() // flags
	// A dSYM has the addresses but not the bytes. No file has more bytes than its
	// memory.
	s.FileSize = min(s.FileSize, s.Size)
	cmds.segments = append(cmds.segments, s)
	for range nsects {
		if len(cmds.sections) == maxSections {
			return malformed("more than %d sections", maxSections)
		}
		cmds.sections = append(cmds.sections, readSection(c, is64, s.Prot))
		if c.short {
			return malformed("%d sections pass the end of segment %q", nsects, s.Name)
		}
	}
	return nil
}

func readSection(c *cursor, is64 bool, prot task.Prot) Section {
	s := Section{Name: c.name(), Segment: c.name(), Prot: prot}
	s.VMAddr, s.Size = c.word(is64), c.word(is64)
	s.Offset = c.u32()
	c.u32() // align
	s.relocations = place{uint64(c.u32()), relocationBytes * uint64(c.u32())}
	s.Flags, s.Reserved1, s.Reserved2 = c.u32(), c.u32(), c.u32()
	if is64 {
		c.u32() // reserved3
	}
	return s
}

// protOf converts a vm_prot_t, which has the same bits.
func protOf(vmprot uint32) task.Prot {
	return task.Prot(vmprot) & (task.Read | task.Write | task.Execute)
}

// segment returns the first segment with a name.
func (cmds *commands) segment(name string) (object.Segment, bool) {
	for _, s := range cmds.segments {
		if s.Name == name {
			return s, true
		}
	}
	return object.Segment{}, false
}

// text returns the segment that starts with the Mach-O header: __TEXT.
func (cmds *commands) text() (object.Segment, bool) {
	if s, ok := cmds.segment("__TEXT"); ok {
		return s, true
	}
	for _, s := range cmds.segments {
		if s.Offset == 0 && s.FileSize > 0 {
			return s, true
		}
	}
	return object.Segment{}, false
}
