package managed

import (
	"errors"
	"strings"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
	"stacksnap/unwind/runtimes"
)

// fake is a runtime with given frames, whose chains are one object for each thread.
type fake struct {
	frames map[task.ThreadID][]task.ManagedFrame
	err    error
	asked  int
	locks  []runtimes.Lock
	names  map[task.ThreadID]string
	named  int // times that names were read
}

func (f *fake) Name() string { return "Fake 1.0" }

func (f *fake) Chains(_ task.Memory, byHandle func(task.Addr) (task.ThreadID, bool)) (map[task.ThreadID]task.Chain, error) {
	f.asked++
	chains := map[task.ThreadID]task.Chain{}
	for id := range f.frames {
		chains[id] = task.Chain{At: 0x1000 * task.Addr(id), Size: 8}
	}
	return chains, nil
}

func (f *fake) Frames(dst []task.ManagedFrame, id task.ThreadID, _ []task.Object, _ task.Memory) ([]task.ManagedFrame, error) {
	return append(dst, f.frames[id]...), f.err
}

func (f *fake) ThreadNames(task.Memory) map[task.ThreadID]string {
	f.named++
	return f.names
}

func (f *fake) Locks(task.Memory, func(task.Addr) (task.ThreadID, bool)) []runtimes.Lock {
	return f.locks
}

func (f *fake) IsLoop(symbol string) bool { return symbol == "eval" }

// file has the symbols eval and other, of 0x100 bytes each.
type file struct{ object.File }

func (file) Symbol(vmaddr uint64) (object.Symbol, bool) {
	switch vmaddr >> 8 {
	case 1:
		return object.Symbol{Name: "eval", VMAddr: 0x100, Size: 0x100}, true
	case 2:
		return object.Symbol{Name: "other", VMAddr: 0x200, Size: 0x100}, true
	}
	return object.Symbol{}, false
}

func (file) Segments() []object.Segment {
	return []object.Segment{{Name: "text", VMAddr: 0, Size: 0x1000, Prot: task.Read | task.Execute}}
}

func (file) Arch() task.Arch { return task.AMD64 }

const load = 0x7000_0000

func imagesOf() *images.Map {
	return images.NewMap([]object.Placed{{Path: "/lib/libfake.so", Load: load, Slide: load, File: file{}}})
}

// of makes the runtimes of a process with one fake.
func of(f *fake, note func(string)) *Runtimes {
	return &Runtimes{
		find: func(im *images.Image, _ task.Memory) (runtimes.Instance, error) { return f, nil },
		note: note, seen: map[place]bool{},
	}
}

// listed lists threads.
func listed(ids ...task.ThreadID) func() ([]task.ThreadID, error) {
	return func() ([]task.ThreadID, error) { return ids, nil }
}

func frames(line string) (list []task.ManagedFrame) {
	for _, name := range strings.Fields(line) {
		function, entry := strings.CutSuffix(name, "*")
		list = append(list, task.ManagedFrame{Function: function, Entry: entry})
	}
	return list
}

func TestRuntimes(t *testing.T) {
	f := &fake{frames: map[task.ThreadID][]task.ManagedFrame{7: frames("inner module*"), 8: frames("gone*")}}
	r := of(f, func(line string) { t.Error(line) })
	if !r.Found(imagesOf()) {
		t.Fatal("no runtime found")
	}
	chains := r.Chains(listed([]task.ThreadID{7}...), true)
	if len(chains) != 1 || len(chains[7]) != 1 || chains[7][0].At != 0x7000 {
		t.Fatalf("chains of threads that are there: %v", chains)
	}
	native := []unwind.Frame{{PC: 0x10}, {PC: load + 0x180}, {PC: load + 0x280, Return: true}, {PC: 0x20}}
	th := &task.Thread{ID: 7, Chains: []task.CopiedChain{{Objects: []task.Object{{At: 0x7000, Bytes: make([]byte, 8)}}}}}
	joined, ok := r.Join(nil, th, native, unwind.Stop{})
	if !ok || len(joined) != 5 || joined[1].Managed.Function != "inner" || joined[2].Managed.Function != "module" {
		t.Fatalf("joined: %v, %v", joined, ok)
	}
	if len(th.Managed) != 2 || th.Managed[0].Runtime != "Fake 1.0" || len(r.Kept(7)) != 2 {
		t.Errorf("the thread's frames: %v, kept %v", th.Managed, r.Kept(7))
	}
}

// TestApart: a stack that does not match is shown as it is, counted, and nothing is kept of it.
func TestApart(t *testing.T) {
	var notes []string
	f := &fake{frames: map[task.ThreadID][]task.ManagedFrame{7: frames("inner* module*")}}
	r := of(f, func(line string) { notes = append(notes, line) })
	r.Found(imagesOf())
	r.Chains(listed([]task.ThreadID{7}...), true)
	th := &task.Thread{ID: 7, Chains: []task.CopiedChain{{Objects: []task.Object{{At: 0x7000, Bytes: make([]byte, 8)}}}}}
	native := []unwind.Frame{{PC: load + 0x180}, {PC: 0x20}}
	if _, ok := r.Join(nil, th, native, unwind.Stop{}); ok || !errors.Is(r.last, unwind.ErrApart) || th.Managed != nil || r.Kept(7) != nil {
		t.Errorf("joined %t, %v, frames %v, kept %v", ok, r.last, th.Managed, r.Kept(7))
	}
	r.Note()
	if len(notes) != 1 || !strings.Contains(notes[0], ": 1 (the last: ") {
		t.Errorf("notes: %q", notes)
	}
	f.err = errors.New("damaged")
	if _, ok := r.Join(nil, th, native, unwind.Stop{}); ok || th.Managed != nil || r.last != f.err {
		t.Errorf("damaged frames: joined %t, %v, %v", ok, r.last, th.Managed)
	}
}

// TestReadAgain: chains are read again where a thread that runs managed functions has none, and
// not at each snapshot.
func TestReadAgain(t *testing.T) {
	f := &fake{frames: map[task.ThreadID][]task.ManagedFrame{7: frames("module*")}}
	r := of(f, func(string) {})
	r.Found(imagesOf())
	ids := []task.ThreadID{7, 9}
	r.Chains(listed(ids...), false)
	r.Chains(listed(ids...), false)
	if f.asked != 1 {
		t.Errorf("read %d times for two snapshots", f.asked)
	}
	r.Join(nil, &task.Thread{ID: 9}, []unwind.Frame{{PC: 0x20}}, unwind.Stop{})
	if r.stale {
		t.Error("stale because of a thread without the interpreter")
	}
	r.Join(nil, &task.Thread{ID: 9}, []unwind.Frame{{PC: load + 0x180}, {PC: 0x20}}, unwind.Stop{})
	if !r.stale {
		t.Error("not stale though a thread runs the interpreter and has no chain")
	}
	r.read = r.read.Add(-leastPause - pauseRatio*r.cost)
	if r.Chains(listed(ids...), false); f.asked != 2 {
		t.Errorf("read %d times when stale", f.asked)
	}
}

// part is memory from an address on, of as many bytes.
type part struct {
	from task.Addr
	text string
}

func (m part) ReadMemory(p []byte, a task.Addr) (int, error) {
	if a < m.from || a >= m.from+task.Addr(len(m.text)) {
		return 0, &task.FaultError{Addr: a}
	}
	return copy(p, m.text[a-m.from:]), nil
}

// TestCoreWithFiles: what a core does not hold is read from the files, and nothing else is.
func TestCoreWithFiles(t *testing.T) {
	m := eitherMemory{part{0x1000, "heap"}, part{0x1002, "AP code"}}
	for at, want := range map[task.Addr]string{0x1000: "heap co", 0x1004: " code", 0x1002: "ap code"} {
		b := make([]byte, 7)
		if n, _ := m.ReadMemory(b, at); string(b[:n]) != want {
			t.Errorf("at %v: %q, want %q", at, b[:n], want)
		}
	}
	if n, err := m.ReadMemory(make([]byte, 1), 0x2000); n != 0 || err == nil {
		t.Errorf("where neither has anything: %d bytes, %v", n, err)
	}
}

// local numbers threads as in a container: 100 less than the system does.
type local struct{ task.WaitReader }

func (local) LocalThread(n int) (task.ThreadID, bool) { return task.ThreadID(n + 100), n < 50 }

func TestNumbers(t *testing.T) {
	var n numbers
	n.use([]task.ThreadID{103, 101}, local{})
	for own, want := range map[task.ThreadID]task.ThreadID{1: 101, 3: 103, 2: 0, 60: 0, 101: 0} {
		if id, ok := n.outer(own); ok != (want != 0) || ok && id != want {
			t.Errorf("in a container, thread %d is %d, %t; want %d", own, id, ok, want)
		}
	}
	if own := n.inner(103); own != 3 {
		t.Errorf("thread 103 is %d in its container", own)
	}
	n = numbers{handle: func(id task.ThreadID) (task.Addr, bool) { return 0x5000 * task.Addr(id), id == 8 }}
	n.use([]task.ThreadID{7, 8}, nil)
	if id, ok := n.byHandle(nil, 8*0x5000-darwinSlots); !ok || id != 8 {
		t.Errorf("by its handle on Darwin: %d, %t", id, ok)
	}
	if id, ok := n.byHandle(nil, 7*0x5000-darwinSlots); ok {
		t.Errorf("by the handle of none: %d", id)
	}
	n = numbers{}
	n.use([]task.ThreadID{7}, nil)
	if id, ok := n.outer(7); !ok || id != 7 || n.inner(7) != 7 {
		t.Errorf("without a container: %d, %t", id, ok)
	}
}

// TestLockOf: a thread waits for a lock by the words that belong to it, and the owner is known if no
// other thread has had the lock since before the stop.
func TestLockOf(t *testing.T) {
	lock := runtimes.Lock{Addr: 0x100, From: 0x120, To: 0x150, Owner: 7, Switches: 3}
	for name, c := range map[string]struct {
		now   runtimes.Lock
		owner task.ThreadID
	}{
		"held on":   {lock, 7},
		"let go":    {runtimes.Lock{Addr: 0x100, From: 0x120, To: 0x150, Switches: 3}, 0},
		"passed on": {runtimes.Lock{Addr: 0x100, From: 0x120, To: 0x150, Owner: 8, Switches: 4}, 0},
		"and back":  {runtimes.Lock{Addr: 0x100, From: 0x120, To: 0x150, Owner: 7, Switches: 5}, 0},
	} {
		f := &fake{locks: []runtimes.Lock{lock}}
		r := of(f, nil)
		r.Found(imagesOf())
		r.Chains(listed([]task.ThreadID{7, 8}...), true)
		f.locks = []runtimes.Lock{c.now}
		for word, is := range map[task.Addr]bool{0x11f: false, 0x120: true, 0x14f: true, 0x150: false} {
			at, owner, ok := r.LockOf(word)
			if ok != is || is && (at != 0x100 || owner != c.owner) {
				t.Errorf("%s: %v: %v %d %v", name, word, at, owner, ok)
			}
		}
	}
	if _, _, ok := (*Runtimes)(nil).LockOf(0x120); ok {
		t.Error("a process without runtimes has a lock")
	}
}
