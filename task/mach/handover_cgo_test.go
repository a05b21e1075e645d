//go:build cgo && machstandin

package mach

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"time"

	"stacksnap/task"
)

// What standin_linux.c writes, and how much of it.
const (
	standinByte  = 0xa5
	standinWord  = 0xa5a5a5a5
	standinPorts = 16
	standinPIDs  = 3
	standinTable = 2000
)

// handingOver is a scripted kernel whose calls with memory in them go through cgo
// first, with the buffers that the product passes.
type handingOver struct {
	*scripted
	t     *testing.T
	calls map[string]int
}

// filled checks that C had the whole of a buffer.
func filled[T byte | uint32](h *handingOver, call string, b []T, want T) {
	h.t.Helper()
	h.calls[call]++
	if i := slices.IndexFunc(b, func(v T) bool { return v != want }); i >= 0 {
		h.t.Errorf("%s: element %d of %d is %#x after the call", call, i, len(b), b[i])
	}
}

func (h *handingOver) state(p port, flavor int32, words []uint32) (int, Return) {
	if n, r := (xnu{}).state(p, flavor, words); n != len(words) || r != success {
		h.t.Errorf("state of %d words: %d, %v", len(words), n, r)
	}
	filled(h, "state", words, standinWord)
	return h.scripted.state(p, flavor, words)
}

func (h *handingOver) read(p port, b []byte, a task.Addr) (int, Return) {
	if n, r := (xnu{}).read(p, b, a); n != len(b) || r != success {
		h.t.Errorf("read of %d bytes: %d, %v", len(b), n, r)
	}
	filled(h, "read", b, standinByte)
	return h.scripted.read(p, b, a)
}

// threads gives what is told by the script in an array of C's.
func (h *handingOver) threads(p port) ([]port, Return) {
	list, r := h.scripted.threads(p)
	if r != success || len(list) == 0 {
		return list, r
	}
	out, _ := xnu{}.threads(p)
	h.calls["threads"]++
	if len(out) != standinPorts || len(list) > standinPorts {
		h.t.Fatalf("an array of %d ports, and %d are needed", len(out), len(list))
	}
	return out[:copy(out, list)], success
}

func (h *handingOver) freePorts(ports []port) Return {
	if r := (xnu{}).freePorts(ports[:standinPorts:standinPorts]); r != success {
		h.t.Errorf("freePorts: %v", r)
	}
	h.calls["freePorts"]++
	return h.scripted.freePorts(nil)
}

func (h *handingOver) regionPath(pid int, a task.Addr) string {
	filled(h, "regionPath", []byte((xnu{}).regionPath(pid, a)), standinByte)
	return h.scripted.regionPath(pid, a)
}

func (h *handingOver) path(pid int) (string, Errno) {
	s, _ := xnu{}.path(pid)
	filled(h, "path", []byte(s), standinByte)
	return h.scripted.path(pid)
}

func (h *handingOver) folder(pid int) (string, Errno) {
	s, _ := xnu{}.folder(pid)
	filled(h, "folder", []byte(s), standinByte)
	return h.scripted.folder(pid)
}

func (h *handingOver) text(name string) (string, Errno) {
	b, _ := sysctl(name)
	filled(h, "sysctl", b, standinByte)
	return h.scripted.text(name)
}

// sample has the stacks mapped, and the mappings confirmed by reads now and then.
func (h *handingOver) sample(count int) {
	p, err := open(h, h.pid)
	if err != nil {
		h.t.Fatal(err)
	}
	h.busy(0)
	n, before := 0, h.calls["read"]
	for _, err := range task.Sample(h.t.Context(), p, task.Options{Count: count, Interval: 10 * time.Millisecond}) {
		if err != nil {
			h.t.Error(err)
		}
		n++
		h.busy(n)
	}
	mustClose(h.t, p)
	if read := h.calls["read"] - before; read >= count*len(h.threadList) {
		h.t.Errorf("%d reads in %d samples: the stacks were not mapped", read, count)
	}
}

// TestHandedOver has every buffer of a capture, a read, a region walk and a
// sampling handed to C from where the product keeps it.
func TestHandedOver(t *testing.T) {
	h := &handingOver{scripted: newScripted(task.AMD64, 8), t: t, calls: map[string]int{}}
	withOffsets(h.scripted)
	var snap task.Snapshot
	for _, err := range scenario(h, h.pid, &snap) {
		t.Error(err)
	}
	h.sample(3 * checkEvery)
	h.balance(t)
	for call, atLeast := range map[string]int{
		"state": 16, "read": 16, "threads": 2, "freePorts": 2, "regionPath": 1, "path": 1, "folder": 1, "sysctl": 1,
	} {
		if h.calls[call] < atLeast {
			t.Errorf("%s was called %d times", call, h.calls[call])
		}
	}
}

// TestListsHandedOver is of the calls whose buffers are made for them.
func TestListsHandedOver(t *testing.T) {
	b := make([]byte, 184)
	if n, e := (xnu{}).file(1, 2, 6, b); e != ok || n != len(b) || !bytes.Equal(b, bytes.Repeat([]byte{standinByte}, len(b))) {
		t.Errorf("file: %d bytes, %v: %x", n, e, b)
	}
	if (xnu{}).entitled("none") {
		t.Error("entitled by nothing")
	}
	if pids, e := (xnu{}).children(1); e != ok || len(pids) != standinPIDs {
		t.Errorf("children: %v, %v", pids, e)
	}
	if pids, e := (xnu{}).pids(); e != ok || len(pids) != standinPIDs {
		t.Errorf("pids: %v, %v", pids, e)
	}
	const entry = 648
	b, e := processTable(entry)
	if e != ok || len(b) != standinTable/entry*entry || bytes.Count(b, []byte{standinByte}) != len(b) {
		t.Errorf("processTable: %d bytes, %v", len(b), e)
	}
	if o, _ := (xnu{}).queueOffsets(); o == (queueOffsets{}) {
		t.Error("queueOffsets: none")
	}
}

func TestMappingsHandedOver(t *testing.T) {
	k := xnu{}
	for name, remap := range map[string]func(port, task.Addr, uint64) ([]byte, Return){"remapNew": k.remapNew, "remap": k.remap} {
		b, r := remap(readPort, testStacks, testPage)
		if r != success || len(b) != testPage {
			t.Fatalf("%s: %d bytes, %v", name, len(b), r)
		}
		if in, r := k.backing(b[100:]); r != success || in.size < 1 {
			t.Errorf("%s: backing %+v, %v", name, in, r)
		}
		if r := k.readOnly(b); r != success {
			t.Errorf("%s: readOnly: %v", name, r)
		}
		if r := k.unmap(b); r != success {
			t.Errorf("%s: unmap: %v", name, r)
		}
	}
}

// TestPartsHandedOver is of slices that are a part of something with Go pointers in
// it, and of those with nothing in them.
func TestPartsHandedOver(t *testing.T) {
	k := xnu{}
	holder := &struct {
		bytes [4096]byte
		other *int
	}{other: new(int)}
	if in, r := k.backing(holder.bytes[100:]); r != success || in.object != 1 {
		t.Errorf("backing %+v, %v", in, r)
	}
	for _, empty := range [][]byte{nil, {}, holder.bytes[4096:]} {
		if _, r := k.backing(empty); r == success {
			t.Error("something is behind nothing")
		}
		if r := k.readOnly(empty); r != success {
			t.Errorf("readOnly: %v", r)
		}
		if r := k.unmap(empty); r != success {
			t.Errorf("unmap: %v", r)
		}
	}
	if r := k.freePorts(nil); r != success {
		t.Errorf("freePorts: %v", r)
	}
	runtime.KeepAlive(holder)
}

// TestHandingOverAllocatesNothing is of the calls made while a target stands.
func TestHandingOverAllocatesNothing(t *testing.T) {
	holder := struct {
		words [64]uint32
		bytes [4096]byte
		other *int // what makes cgo look at more than the buffers
	}{other: new(int)}
	in := &holder
	n := testing.AllocsPerRun(1000, func() {
		xnu{}.state(readPort, 4, in.words[:42])
		xnu{}.read(readPort, in.bytes[:], testStacks)
	})
	if n != 0 {
		t.Errorf("%v allocations a call", n)
	}
	runtime.KeepAlive(in)
}
