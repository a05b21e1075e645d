package kcdata

import "iter"

// Elements are the elements of an array.
type Elements struct {
	Type  uint32 // of each
	Size  int    // of each, in bytes
	Count int
	Data  []byte // Count times Size bytes
}

// IsArray reports whether the item is an array.
func (it *Item) IsArray() bool { return it.Type == OldArray || it.Type&^0xf == Array }

// oldElements has the sizes of elements by their type for arrays of type OldArray,
// which do not say how much of an item is padding (kcdata_iter_array_size_switch).
var oldElements = map[uint32]int{
	0x30: 20, 0x31: 24, // dyld_uuid_info_32, dyld_uuid_info_64
	0x90A: 8, 0x90C: 8, // stack_snapshot_frame32
	0x90B: 16, 0x90D: 16, // stack_snapshot_frame64
	0x907: 4,    // pids
	0x941: 0x30, // thread_delta_snapshot_v2
	0x81A: 8,    // TASK_CRASHINFO_CRASHED_THREADID
}

// Elements returns the elements of an array. The error wraps [ErrItem] if the item is
// not an array, or its count does not match its size.
func (it *Item) Elements() (Elements, error) {
	e := Elements{Type: uint32(it.Flags >> 32)}
	count, size := uint64(uint32(it.Flags)), len(it.Payload)
	if it.IsArray() && count == 0 && size == 0 {
		return e, nil
	}
	padded := 0
	switch {
	case !it.IsArray() || count == 0:
		return e, ErrItem
	case it.Type == OldArray:
		e.Size = oldElements[e.Type]
		if e.Size == 0 || count > uint64(size/e.Size) || uint64(size)%count >= alignment {
			return e, ErrItem
		}
	default:
		padded = int(it.Type & 0xf)
		if padded > size || count > uint64(size-padded) || uint64(size-padded)%count != 0 {
			return e, ErrItem
		}
		e.Size = int(uint64(size-padded) / count)
	}
	e.Count = int(count)
	e.Data = it.Payload[:e.Count*e.Size]
	return e, nil
}

// All yields the elements in order.
func (e *Elements) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := range e.Count {
			if !yield(i, e.Data[i*e.Size:(i+1)*e.Size]) {
				return
			}
		}
	}
}
