package cpython

import (
	"testing"

	"stacksnap/task"
)

// TestTypeWithDistantName: a damaged table of offsets may place the name of a type far
// behind its other fields.
func TestTypeWithDistantName(t *testing.T) {
	const object, kind, name = 0x1000, 0x1100, 0x3000
	b := make(block, 0x4000)
	p := &Instance{layout: layout312()}
	p.layout.object.typeName = maxObjectOffset
	b.put(object+8, kind)
	b.put(kind+maxObjectOffset, name)
	copy(b[name-0x1000:], "Task")
	o := objects{p: p, m: newPages(b), types: map[task.Addr]*typeObject{}}
	if got, err := o.typeOf(object); err != nil || got.name != "Task" {
		t.Errorf("type %v, %v", got, err)
	}
}
