package apple

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/profile"
	"stacksnap/task"
)

// one is a profile of a thread with these outermost frames.
func one(roots ...*profile.Node) *profile.Profile {
	t := &profile.Thread{ID: 1, Roots: roots, Samples: sum(roots)}
	return &profile.Profile{Target: task.Info{OS: task.Darwin}, Snapshots: t.Samples, Threads: []*profile.Thread{t}}
}

// Siblings stand by samples; of as many by name, image and line, then what calls
// others before what does not, then by address. What is not known comes last.
func TestSampleOrder(t *testing.T) {
	x, y := &profile.Image{Path: "/x", Load: 1}, &profile.Image{Path: "/y", Load: 1}
	rest := appletest.Top(nil, profile.Further, 0, 0, 9)
	want := []*profile.Node{
		appletest.Call(x, "b", 9, 0x50, appletest.Top(x, "d", 0, 0x99, 3)),
		appletest.Top(y, "a", 0, 0x60, 2),
		appletest.Call(x, "b", 7, 0x47, appletest.Top(x, "d", 0, 0x99, 2)),
		appletest.Call(x, "b", 8, 0x48, appletest.Top(x, "d", 0, 0x99, 2)),
		appletest.Top(x, "b", 1, 0x41, 2),
		appletest.Source(appletest.Top(x, "b", 3, 0x43, 2), "f.c", 1),
		appletest.Source(appletest.Top(x, "b", 2, 0x42, 2), "g.c", 1),
		appletest.Top(y, "b", 0, 0x30, 2),
		appletest.Top(x, "a", 0, 0x10, 1),
		rest,
	}
	var lines []string
	for _, n := range want {
		b := &branch{place: placeOf(n, len(n.Children) == 0), count: n.Count}
		b.add(profile.Address{PC: n.PC, Offset: n.Offset}, n.Self)
		lines = append(lines, b.text())
	}
	for range 2 {
		var got []string
		for _, b := range grow(one(want...).Threads[0]).roots {
			got = append(got, b.text())
		}
		if diff := cmp.Diff(lines, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		slices.Reverse(want)
	}
}

// Threads stand by samples and id, the main one first.
func TestSampleOrderOfThreads(t *testing.T) {
	p := one()
	p.Threads = []*profile.Thread{{ID: 4, Samples: 2}, {ID: 3, Samples: 2}, {ID: 9, Samples: 3}, {ID: 2, Samples: 1, Main: true}}
	var got []string
	for _, line := range graphOf(written(t, p)) {
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{"1 Thread_2: Main Thread", "3 Thread_9", "2 Thread_3", "2 Thread_4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The tables have what there is five times: lines of the graph in the one, samples in
// the other.
func TestSampleTables(t *testing.T) {
	x := &profile.Image{Path: "/x", Load: 0x1000, End: 0x2000}
	var roots []*profile.Node
	for i := range 5 {
		below := []*profile.Node{appletest.Top(x, "five", 4, 0x1104, 1), appletest.Top(x, "six", uint64(i), 0x1200+task.Addr(i), 1)}
		if i < 4 {
			below = append(below, appletest.Call(x, "four", 1, 0x1301, appletest.Top(x, "", 0x400, 0x1400, 2)))
		}
		roots = append(roots, appletest.Call(x, "caller", uint64(i), 0x1500+task.Addr(i), below...))
	}
	roots = append(roots, appletest.Top(x, "six", 9, 0x1209, 1))
	want := ` (recursive counted multiple, when >=5):
        6       six  (in x) + 0  [0x1200]
        5       five  (in x) + 0  [0x1100]

Sort by top of stack, same collapsed (when >= 5):
        ???  (in x)  load address 0x1000 + 0x400  [0x1400]        8
        six  (in x)        6
        five  (in x)        5

Binary images description not available
`
	if diff := cmp.Diff(want, behindGraph(written(t, one(roots...)))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseThread(t *testing.T) {
	name := "a   DispatchQueue_1: b"
	got := parseThread("Thread_7: " + name + "   DispatchQueue_2: c  (concurrent)")
	if got.ID != 7 || got.Name != name || got.Queue != "c" || got.QueueSerial != 2 || got.QueueKind != "concurrent" {
		t.Errorf("%+v", got)
	}
}

// Of images of one name a frame is in the one that is at its address.
func TestImagesOfOneName(t *testing.T) {
	text := analysisOf + "x (pid 1) once\nCall graph:\n    2 Thread_1\n      1 a  (in x) + 1  [0x1001]\n      1 b  (in x) + 1  [0x3001]\nTotal number in stack\n" +
		"Binary Images:\n 0x1000 - 0x1fff +x (1) <00> /1/x\n 0x3000 - 0x3fff +x (1) <01> /2/x\n 0x5000 - 0x4fff +x (1) <01> /3/x\n 0x5000 - 0xffffffffffffffff +x (1) <01> /4/x\n"
	p := read(t, []byte(text))
	roots := p.Threads[0].Roots
	if len(p.Images) != 2 || roots[0].Image.Path != "/1/x" || roots[1].Image.Path != "/2/x" {
		t.Errorf("%d images: %s and %s", len(p.Images), roots[0].Image.Path, roots[1].Image.Path)
	}
}
