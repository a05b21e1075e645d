package kcdata

// The kinds of buffers: the type of the first item (KCDATA_BUFFER_BEGIN_*).
const (
	CrashInfo      = 0xDEADF157
	Stackshot      = 0x59a25807
	DeltaStackshot = 0xDE17A59A
	Compressed     = 0x434f4d50
	BacktraceInfo  = 0x46414E47
	ExitReason     = 0x53A20900
)

// Types of items that are not specific to a subsystem (KCDATA_TYPE_*).
const (
	StringNamed = 0x1 // a name of 32 bytes followed by text
	Uint32Named = 0x2
	Uint64Named = 0x3
	Int32Named  = 0x4
	Int64Named  = 0x5
	BytesNamed  = 0x6

	OldArray       = 0x11 // elements whose size depends on their type only
	TypeDefinition = 0x12
	ContainerBegin = 0x13
	ContainerEnd   = 0x14
	Array          = 0x20 // up to 0x2f: the low bits are the bytes of padding after the elements

	Nested    = 0x38 // a buffer in a buffer
	BufferEnd = 0xF19158ED
)

const (
	headerSize = 16
	alignment  = 16
	nameSize   = 32 // KCDATA_DESC_MAXLEN

	paddingMask = 0xf  // KCDATA_FLAGS_STRUCT_PADDING_MASK
	hasPadding  = 0x80 // KCDATA_FLAGS_STRUCT_HAS_PADDING
)

// padding returns how many bytes of padding follow a payload of size bytes.
func padding(size int) int { return -size & (alignment - 1) }

// isBegin reports whether a type is that of a buffer's first item.
func isBegin(t uint32) bool {
	switch t {
	case CrashInfo, Stackshot, DeltaStackshot, Compressed, BacktraceInfo, ExitReason:
		return true
	}
	return false
}
