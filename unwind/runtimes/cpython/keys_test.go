package cpython

import (
	"testing"
	"time"

	"stacksnap/task"
)

const dictAt, keysAt, strsAt = 0x1000, 0x2000, 0x4000

// dictOf is memory with a dict whose keys are on a page each, and whose values are their numbers from 1 on.
func dictOf(names ...string) block {
	const dictType, strType, text = 0x1100, 0x1400, 0x1800
	b := make(block, 0x3000+pageSize*(len(names)+1))
	for at, name := range map[task.Addr]string{dictType: "dict", strType: "str"} {
		b.put(at+24, uint64(text)+uint64(at-dictType))
		copy(b[text+at-dictType-0x1000:], name)
	}
	b.put(dictAt+8, dictType)
	b.put(dictAt+dictKeys, keysAt)
	b.put(keysAt+8, 1<<16|3<<8) // of strs alone, with 8 bytes of indices
	b.put(keysAt+24, uint64(len(names)))
	for i, name := range names {
		str := strsAt + pageSize*task.Addr(i)
		b.put(keysAt+40+16*task.Addr(i), uint64(str))
		b.put(keysAt+48+16*task.Addr(i), uint64(i+1))
		b.put(str+8, strType)
		b.putText(str, name)
	}
	return b
}

// putText makes an object a compact ASCII str.
func (b block) putText(str task.Addr, text string) {
	b.put(str+16, uint64(len(text)))
	b.put(str+32, 1<<6|1<<5|1<<2)
	copy(b[str+40-0x1000:], text)
}

// lookUpAnew looks a key up in a reading of its own, and returns how many pages were read.
func lookUpAnew(t *testing.T, p *Instance, b block, key string) (task.Addr, int) {
	t.Helper()
	o := objects{p: p, m: p.newPages(b), types: map[task.Addr]*typeObject{}}
	at, err := o.lookUp(dictAt, key)
	if err != nil {
		t.Fatal(err)
	}
	return at, maxPageReads - o.m.reads
}

// TestKeysAreReadOnce: keys that are known to be others are not read again, a key that is found is read
// each time, and what is known is forgotten.
func TestKeysAreReadOnce(t *testing.T) {
	b := dictOf("one", "two", "three", "four")
	p := &Instance{version: 3<<24 | 12<<16, layout: layout312()}
	at, pages := lookUpAnew(t, p, b, "four")
	if at != 4 || pages != 6 {
		t.Errorf("value %d by %d pages", at, pages)
	}
	if at, pages = lookUpAnew(t, p, b, "four"); at != 4 || pages != 3 {
		t.Errorf("again: value %d by %d pages", at, pages)
	}
	if at, pages = lookUpAnew(t, p, b, "five"); at != 0 || pages != 2 {
		t.Errorf("without the key: value %d by %d pages", at, pages)
	}
	b.putText(strsAt+3*pageSize, "five") // over what was found
	if at, _ = lookUpAnew(t, p, b, "four"); at != 0 {
		t.Errorf("value %d of a key that is no more", at)
	}
	p.keys.since = time.Now().Add(-keyTime)
	if at, _ = lookUpAnew(t, p, b, "five"); at != 4 {
		t.Errorf("later: value %d", at)
	}
}

// TestPagesAreReadIntoTheSameMemory, one reading after another.
func TestPagesAreReadIntoTheSameMemory(t *testing.T) {
	b := dictOf("one", "two", "three", "four")
	p := &Instance{version: 3<<24 | 12<<16, layout: layout312()}
	lookUpAnew(t, p, b, "four")
	lookUpAnew(t, p, b, "four")
	page := make([]byte, 8)
	if n := testing.AllocsPerRun(10, func() {
		m := p.newPages(b)
		_, _ = m.ReadMemory(page, dictAt)
		_, _ = m.ReadMemory(page, keysAt)
	}); n > 5 { // the reading and its map take 4
		t.Errorf("%v allocations for two pages", n)
	}
}
