package capture

import (
	"encoding/binary"
	"iter"
	"testing"

	"stacksnap/task"
)

// Where the process of this test has things: a dyld_all_image_infos
// (<mach-o/dyld_images.h>), an array of one image, and the paths of images.
const (
	infosAt = 0x10000
	arrayAt = 0x20000
	pathsAt = 0x30000
)

// macLike is a Darwin process with one image, which has nothing but a path.
type macLike struct {
	listed
	timestamp uint64
	path      byte // of "/lib/" and this letter
	updating  bool // the list is being changed
	eachRead  func()
}

func newMacLike() *macLike {
	p := &macLike{timestamp: 100, path: 'a'}
	p.info = task.Info{OS: task.Darwin, PID: 7, Arch: task.ARM64, LoaderInfo: infosAt, LoaderPointerSize: 8}
	return p
}

func (p *macLike) Memory() task.Memory { return p }

func (p *macLike) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		yield(task.Region{Start: 0x1000, End: 0x2000, Prot: task.Read | task.Execute}, nil)
	}
}

func (p *macLike) ReadMemory(b []byte, a task.Addr) (int, error) {
	le := binary.LittleEndian
	page := make([]byte, 0x1000)
	switch a &^ 0xfff {
	case infosAt:
		le.PutUint32(page, 17)
		le.PutUint32(page[4:], 1)
		if !p.updating {
			le.PutUint64(page[8:], arrayAt)
		}
		le.PutUint64(page[0xb8:], p.timestamp)
		if p.eachRead != nil {
			p.eachRead()
		}
	case arrayAt:
		le.PutUint64(page, 0x1000)
		le.PutUint64(page[8:], pathsAt)
	case pathsAt:
		copy(page, "/lib/"+string(p.path))
	default:
		return 0, &task.FaultError{Addr: a}
	}
	return copy(b, page[a&0xfff:]), nil
}

// load has another image loaded.
func (p *macLike) load(path byte) {
	p.path = path
	p.timestamp++
}

// followed is what became of the threads of one snapshot: a mark of 0 is none.
func followed(f *follower, marks ...uint64) (image string, verdicts []verdict) {
	s := &task.Snapshot{}
	for i, m := range marks {
		s.Threads = append(s.Threads, task.Thread{ID: task.ThreadID(i), Sight: task.Sight{Mark: m, HasMark: m != 0}})
	}
	f.begin(s)
	for i := range s.Threads {
		verdicts = append(verdicts, f.check(&s.Threads[i], nil, stopAtBottom))
	}
	return f.images.Images[0].Path, verdicts
}

func TestThreadsAreNamedByTheListTheyWereCapturedWith(t *testing.T) {
	const at = 100 // the timestamp at first
	for _, tt := range []struct {
		name     string
		change   func(p *macLike)
		marks    []uint64
		image    string
		verdicts []verdict
	}{
		{"nothing changed", func(*macLike) {}, []uint64{at, 0}, "/lib/a", []verdict{asKnown, asKnown}},
		{"changed after", func(p *macLike) { p.load('b') }, []uint64{at, at}, "/lib/a", []verdict{asKnown, asKnown}},
		{"changed before", func(p *macLike) { p.load('b') }, []uint64{at + 1, at + 1}, "/lib/b", []verdict{asKnown, asKnown}},
		{"changed before and after", func(p *macLike) { p.load('b'); p.load('a') }, []uint64{at + 1}, "/lib/a", []verdict{exchanged}},
		{"changed, not known when", func(p *macLike) { p.load('b') }, []uint64{0}, "/lib/b", []verdict{exchanged}},
		{"being changed", func(p *macLike) { p.updating = true }, []uint64{at}, "/lib/a", []verdict{asKnown}},
	} {
		p := newMacLike()
		f := newFollower(p, func(string) {}, nil)
		tt.change(p)
		image, verdicts := followed(f, tt.marks...)
		if image != tt.image || len(verdicts) != len(tt.verdicts) {
			t.Errorf("%s: named by %s, want %s", tt.name, image, tt.image)
		}
		for i := range verdicts {
			if verdicts[i] != tt.verdicts[i] {
				t.Errorf("%s: thread %d: verdict %d, want %d", tt.name, i, verdicts[i], tt.verdicts[i])
			}
		}
	}
}

// TestChangedListIsFollowedAgain: in the snapshot after a change nothing is left
// out any more.
func TestChangedListIsFollowedAgain(t *testing.T) {
	p := newMacLike()
	f := newFollower(p, func(string) {}, nil)
	if w := f.watch(); w.Mark != 0 {
		t.Errorf("reads a mark at %v before anything has changed", w.Mark)
	}
	p.load('b')
	if image, v := followed(f, p.timestamp-1); image != "/lib/a" || v[0] != asKnown {
		t.Errorf("before: %s, verdict %d", image, v[0])
	}
	if w := f.watch(); w.Mark != infosAt+0xb8 {
		t.Errorf("reads a mark at %v", w.Mark)
	}
	if image, v := followed(f, p.timestamp); image != "/lib/b" || v[0] != asKnown {
		t.Errorf("after: %s, verdict %d", image, v[0])
	}
}

// TestListThatChangesWhileItIsRead: as long as it is not known which images were
// read, nothing is named by them.
func TestListThatChangesWhileItIsRead(t *testing.T) {
	p := newMacLike()
	p.eachRead = func() { p.timestamp++ }
	f := newFollower(p, func(string) {}, nil)
	if _, v := followed(f, p.timestamp); v[0] != exchanged {
		t.Errorf("verdict %d", v[0])
	}
	p.eachRead = nil
	followed(f, 0)
	if image, v := followed(f, p.timestamp, 0); image != "/lib/a" || v[0] != asKnown || v[1] != asKnown {
		t.Errorf("%s, verdicts %v", image, v)
	}
}
