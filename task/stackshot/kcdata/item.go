package kcdata

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Item is one item of a buffer.
type Item struct {
	Type  uint32
	Flags uint64
	// Payload is the item's contents including padding: part of the buffer.
	Payload []byte
}

// ErrItem means that an item's contents do not match its size.
var ErrItem = errors.New("item does not fit its size")

// The sizes of structures from before items declared their padding; later structures
// exceed them by less than the padding was (kcdata_iter_size).
var oldSizes = map[uint32]int{
	0x906: 0x68, // STACKSHOT_KCTYPE_THREAD_SNAPSHOT: thread_snapshot_v2
	0x908: 24,   // STACKSHOT_KCTYPE_SHAREDCACHE_LOADINFO: dyld_uuid_info_64
}

// Data returns the payload without padding.
func (it *Item) Data() []byte {
	if it.IsArray() || it.Type == ContainerBegin {
		return it.Payload
	}
	if old, ok := oldSizes[it.Type]; ok && it.Flags&(paddingMask|hasPadding) == 0 && len(it.Payload) == old+padding(old) {
		return it.Payload[:old]
	}
	return it.Payload[:max(0, len(it.Payload)-int(it.Flags&paddingMask))]
}

// Text returns the payload as text, up to the first zero byte.
func (it *Item) Text() string { return Text(it.Data()) }

// Text returns the bytes up to the first zero byte, or all of them.
func Text(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// Number returns the payload as an unsigned number of 4 or 8 bytes. It reports false
// if there are fewer.
func (it *Item) Number() (uint64, bool) { return number(it.Data()) }

func number(b []byte) (uint64, bool) {
	switch {
	case len(b) >= 8:
		return binary.LittleEndian.Uint64(b), true
	case len(b) >= 4:
		return uint64(binary.LittleEndian.Uint32(b)), true
	}
	return 0, false
}

// Container returns the kind of the container that starts at the item, and its id, such as a
// task's pid or a thread's id. The item that ends the container has the same id.
func (it *Item) Container() (sort uint32, id uint64, err error) {
	if it.Type != ContainerBegin || len(it.Payload) < 4 {
		return 0, 0, ErrItem
	}
	return binary.LittleEndian.Uint32(it.Payload), it.Flags, nil
}

// Named returns the name in an item, and the data after it.
func (it *Item) Named() (name string, data []byte, err error) {
	data = it.Data()
	if it.Type < StringNamed || it.Type > BytesNamed || len(data) < nameSize || data[nameSize-1] != 0 {
		return "", nil, ErrItem
	}
	return Text(data[:nameSize]), data[nameSize:], nil
}

// NamedNumber returns the name and the number in an item; signed numbers are
// sign-extended to 64 bits.
func (it *Item) NamedNumber() (name string, n uint64, err error) {
	name, data, err := it.Named()
	if err != nil {
		return "", 0, err
	}
	switch {
	case (it.Type == Uint64Named || it.Type == Int64Named) && len(data) >= 8:
		return name, binary.LittleEndian.Uint64(data), nil
	case it.Type == Uint32Named && len(data) >= 4:
		return name, uint64(binary.LittleEndian.Uint32(data)), nil
	case it.Type == Int32Named && len(data) >= 4:
		return name, uint64(int64(int32(binary.LittleEndian.Uint32(data)))), nil
	}
	return "", 0, ErrItem
}
