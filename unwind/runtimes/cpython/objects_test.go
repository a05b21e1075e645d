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

// TestTypeWithUnreadableBase: the type of an object is not taken for one without the bases that could
// not be read, neither then nor later.
func TestTypeWithUnreadableBase(t *testing.T) {
	const object, kind, base, name = 0x1000, 0x1100, 0x2000, 0x1800
	b := make(block, 0x2000)
	b.put(object+8, kind)
	b.put(kind+24, name)
	b.put(kind+typeBase, base)
	b.put(base+24, name)
	copy(b[name-0x1000:], "_asyncio.Task")
	o := objects{p: &Instance{layout: layout312()}, m: newPages(b[:0x1000]), types: map[task.Addr]*typeObject{}}
	if got, err := o.typeOf(object); err == nil {
		t.Errorf("type %v without its base", got)
	}
	if got, err := o.typeOf(object); err == nil {
		t.Errorf("type %v without its base, the second time", got)
	}
	o.m = newPages(b)
	if got, err := o.typeOf(object); err != nil || !got.isTask {
		t.Errorf("type %v, %v", got, err)
	}
	b.put(base+typeBase, kind)
	o.m, o.types = newPages(b), map[task.Addr]*typeObject{}
	if got, err := o.typeOf(object); err == nil {
		t.Errorf("type %v with bases in a circle", got)
	}
}

// TestKnownTypesAreBounded: a target may have a type for each object.
func TestKnownTypesAreBounded(t *testing.T) {
	r := endless{depth: 1}.reader()
	r.begin(manyTypes{})
	for i := range 2 * maxTypes {
		if _, err := r.typeOf(task.Addr(8 * i)); err != nil {
			t.Fatal(err)
		}
		if len(r.types) > maxTypes {
			t.Fatalf("%d types are known", len(r.types))
		}
	}
}

// manyTypes is memory in which words differ, and which types have no bases.
type manyTypes struct{}

func (manyTypes) ReadMemory(b []byte, a task.Addr) (int, error) {
	for i := range len(b) / 8 {
		at := a + task.Addr(8*i)
		switch {
		case at < 8*4*maxTypes:
			block(b).put(0x1000+task.Addr(8*i), uint64(1<<40+2048*at))
		case at%2048 == 24:
			block(b).put(0x1000+task.Addr(8*i), 1<<39)
		}
	}
	return len(b), nil
}
