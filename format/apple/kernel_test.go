package apple

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/apple/crash"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// TestKernelIsReadBack: a frame of the kernel is told as such in reports, and in the table
// of sample.
func TestKernelIsReadBack(t *testing.T) {
	kernel := &profile.Image{Path: "kernel", Load: 0x9000, End: 0xa000, ID: make([]byte, 16)}
	trap := &profile.Node{PC: 0x9110, Location: profile.Location{Image: kernel, Function: "trap", Offset: 0x10, Kernel: true}, By: unwind.ByFramePointer, Count: 1, Self: 1}
	entry := &profile.Node{PC: 0x9110, Location: profile.Location{Image: kernel, Function: "entry", Kernel: true, Inlined: true}, By: unwind.ByFramePointer, Count: 1, Children: []*profile.Node{trap}}
	own := &profile.Node{PC: 0x1000, Location: profile.Location{Function: "main"}, Count: 1, Children: []*profile.Node{entry}}
	p := &profile.Profile{
		Target: task.Info{OS: task.Darwin, PID: 1, Name: "it"}, Snapshots: 1, Images: []*profile.Image{kernel}, Frames: 2,
		Threads: []*profile.Thread{{ID: 1, Samples: 1, Roots: []*profile.Node{own}}},
	}
	for name, write := range map[string]report.Writer{"sample": Sample, "ips": crash.IPS, "crash": crash.Text, "spindump": Spindump} {
		var b bytes.Buffer
		if err := write(&b, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		read, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var marks, inlined []bool
		for _, n := range read[0].Threads[0].Nodes() {
			names, marks = append(names, n.Function), append(marks, n.Kernel)
			inlined = append(inlined, n.Inlined)
		}
		if !slices.Equal(names, []string{"main", "entry", "trap"}) || !slices.Equal(marks, []bool{false, true, true}) || !slices.Equal(inlined, []bool{false, true, false}) {
			t.Errorf("%s: %q, %v in\n%s", name, names, marks, text)
		}
	}
	tableHasMarks(t, p)
}

// tableHasMarks wants a frame of the kernel told as such in the table of sample, of which
// the least has five samples.
func tableHasMarks(t *testing.T, p *profile.Profile) {
	p.Threads[0].Samples, p.Snapshots = 5, 5
	for _, n := range p.Threads[0].Nodes() {
		n.Count, n.Self = 5*n.Count, 5*n.Self
	}
	var b bytes.Buffer
	if err := Sample(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, table, _ := strings.Cut(b.String(), "Sort by top of stack"); !strings.Contains(table, "trap [k]  (in kernel)") {
		t.Errorf("the table has no mark in\n%s", b.String())
	}
}
