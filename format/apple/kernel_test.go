package apple

import (
	"bytes"
	"slices"
	"testing"

	"stacksnap/format"
	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestKernelIsReadBack: a frame of the kernel is told as such in both kinds of report.
func TestKernelIsReadBack(t *testing.T) {
	kernel := &profile.Image{Path: "kernel", Load: 0x9000, End: 0xa000, ID: make([]byte, 16)}
	trap := &profile.Node{PC: 0x9110, Location: profile.Location{Image: kernel, Function: "trap", Offset: 0x10, Kernel: true}, By: unwind.ByFramePointer, Count: 1, Self: 1}
	own := &profile.Node{PC: 0x1000, Location: profile.Location{Function: "main"}, Count: 1, Children: []*profile.Node{trap}}
	p := &profile.Profile{
		Target: task.Info{OS: task.Darwin, PID: 1, Name: "it"}, Snapshots: 1, Images: []*profile.Image{kernel}, Frames: 2,
		Threads: []*profile.Thread{{ID: 1, Samples: 1, Roots: []*profile.Node{own}}},
	}
	for name, write := range map[string]format.Writer{"sample": Sample, "ips": IPS} {
		var b bytes.Buffer
		if err := write(&b, p); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		read, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var marks []bool
		for _, n := range read[0].Threads[0].Nodes() {
			names, marks = append(names, n.Function), append(marks, n.Kernel)
		}
		if !slices.Equal(names, []string{"main", "trap"}) || !slices.Equal(marks, []bool{false, true}) {
			t.Errorf("%s: %q, %v in\n%s", name, names, marks, text)
		}
	}
}
