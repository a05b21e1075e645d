package cpython

import (
	"encoding/binary"
	"errors"

	"stacksnap/task"
)

// Offsets in a dict, its table of keys, and a set.
const (
	dictKeys   = 32
	dictValues = 40

	setMask  = 32
	setTable = 40
)

// Kinds of tables of keys, from 3.11 on.
const (
	generalKeys = 0
	splitKeys   = 2 // of attributes: the values are elsewhere
)

const (
	maxEntries = 1 << 17 // of a dict
	maxSlots   = 1 << 22 // of a set
)

var errObject = errors.New("an object of asyncio is not as expected")

// keyTable is where the entries of a dict are.
type keyTable struct {
	entries  task.Addr
	n        int
	size     int // of an entry
	key, own int // the key, and a value that is not in a table of its own
}

func (o *objects) keyTable(a task.Addr) (t keyTable, err error) {
	var b [40]byte
	if err = task.ReadFull(o.m, b[:], a); err != nil {
		return t, err
	}
	if o.p.minor() < 11 {
		t, err = oldKeyTable(a, &b)
	} else {
		t, err = newKeyTable(a, &b)
	}
	if err == nil && (t.n < 0 || t.n > maxEntries) {
		err = errObject
	}
	return t, err
}

// oldKeyTable decodes that of 3.8 to 3.10: dk_refcnt, dk_size, dk_lookup, dk_usable,
// dk_nentries, and the indices.
func oldKeyTable(a task.Addr, b *[40]byte) (keyTable, error) {
	size, n := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[32:])
	if size > 2*maxEntries || n > size {
		return keyTable{}, errObject
	}
	width := uint64(1)
	switch {
	case size > 0xffff:
		width = 4
	case size > 0xff:
		width = 2
	}
	return keyTable{entries: a + 40 + task.Addr(width*size), n: int(n), size: 24, key: 8, own: 16}, nil
}

// newKeyTable decodes that of 3.11 and later: dk_refcnt, dk_log2_size, dk_log2_index_bytes,
// dk_kind, dk_version, dk_usable, dk_nentries, and the indices.
func newKeyTable(a task.Addr, b *[40]byte) (keyTable, error) {
	n := binary.LittleEndian.Uint64(b[24:])
	if b[9] > 24 || n > maxEntries || b[10] > splitKeys {
		return keyTable{}, errObject
	}
	t := keyTable{entries: a + 32 + 1<<b[9], n: int(n), size: 16, key: 0, own: 8}
	if b[10] == generalKeys {
		t.size, t.key, t.own = 24, 8, 16
	}
	return t, nil
}

// lookUp returns the value of a key of a dict, 0 if there is none.
func (o *objects) lookUp(dict task.Addr, key string) (task.Addr, error) {
	if !o.isBuiltin(dict, "dict") {
		return 0, errObject
	}
	keys, err := o.pointer(dict + dictKeys)
	if err != nil {
		return 0, err
	}
	values, err := o.pointer(dict + dictValues)
	if err != nil {
		return 0, err
	}
	if values != 0 {
		values += task.Addr(o.valuesHead())
	}
	return o.lookUpIn(keys, values, key)
}

// valuesHead returns the size of what is before the values of attributes.
func (o *objects) valuesHead() int {
	if o.p.minor() >= 13 {
		return 8
	}
	return 0
}

// lookUpIn returns the value of a key; values 0: they are beside the keys.
func (o *objects) lookUpIn(keys, values task.Addr, key string) (task.Addr, error) {
	at, found := -1, task.Addr(0)
	err := o.entries(keys, func(i int, name, value task.Addr) bool {
		if !o.p.keys.isOther(name, key) && o.isKey(name, key) {
			at, found = i, value
		}
		return at < 0
	})
	if err == nil && at >= 0 && values != 0 {
		return o.pointer(values + task.Addr(8*at))
	}
	return found, err
}

// isKey reports whether a key of a dict is a str that equals s, and keeps what it is.
func (o *objects) isKey(a task.Addr, s string) bool {
	if !o.isBuiltin(a, "str") {
		return false
	}
	got, err := o.p.layout.readString(o.m, a, maxKey)
	if err == nil {
		o.p.keys.add(a, got)
	}
	return err == nil && got == s
}

// entries calls yield with the entries of a table of keys, until it returns false. The values are
// those that are beside the keys.
func (o *objects) entries(keys task.Addr, yield func(i int, key, value task.Addr) bool) error {
	t, err := o.keyTable(keys)
	if err != nil {
		return err
	}
	b := make([]byte, t.n*t.size)
	if err := task.ReadFull(o.m, b, t.entries); err != nil {
		return err
	}
	for i := range t.n {
		e := task.Object{Bytes: b[i*t.size : (i+1)*t.size]}
		if !yield(i, e.Pointer(t.key), e.Pointer(t.own)) {
			break
		}
	}
	return nil
}

// attribute returns an attribute of an instance of a class, 0 if it has none of the name.
func (o *objects) attribute(a task.Addr, name string) (task.Addr, error) {
	t, err := o.typeOf(a)
	if err != nil {
		return 0, err
	}
	dict, values, err := o.attributes(a, t)
	switch {
	case err != nil:
		return 0, err
	case dict != 0:
		return o.lookUp(dict, name)
	case values == 0:
		return 0, nil
	}
	keys, err := o.pointer(t.at + task.Addr(o.p.layout.asyncio.cachedKeys))
	if err != nil {
		return 0, err
	}
	return o.lookUpIn(keys, values, name)
}

// attributes returns where the attributes of an object are: in a dict, or values in the
// order of the keys that its type has.
func (o *objects) attributes(a task.Addr, t *typeObject) (dict, values task.Addr, err error) {
	if t.flags&managedDict == 0 || o.p.minor() < 11 {
		if t.dict <= 0 || t.dict > maxObjectOffset {
			return 0, 0, errObject
		}
		dict, err = o.pointer(a + task.Addr(t.dict))
		return dict, 0, err
	}
	dict, err = o.pointer(a - 24)
	switch minor := o.p.minor(); {
	case err != nil:
		return 0, 0, err
	case minor == 11 && dict == 0:
		values, err = o.pointer(a - 32)
	case minor == 12 && dict&1 != 0:
		dict, values = 0, dict+1
	case minor >= 13 && dict == 0 && t.flags&inlineValues != 0 && t.basicSize > 0 && t.basicSize < maxObjectOffset:
		values = a + task.Addr(t.basicSize) + task.Addr(o.valuesHead())
	}
	return dict, values, err
}

// set returns the items of a set, and what it keeps in place of removed ones.
func (o *objects) set(a task.Addr) ([]task.Addr, error) {
	if !o.isBuiltin(a, "set") {
		return nil, errObject
	}
	mask, err := o.pointer(a + setMask)
	if err != nil || mask >= maxSlots {
		return nil, errObject
	}
	table, err := o.pointer(a + setTable)
	if err != nil {
		return nil, err
	}
	slots, err := o.pointers(table, 2*int(mask+1)) // a key, its hash
	if err != nil {
		return nil, err
	}
	var items []task.Addr
	for i := 0; i < len(slots); i += 2 {
		if slots[i] != 0 {
			items = append(items, slots[i])
		}
	}
	return items, nil
}
