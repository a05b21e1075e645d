package profile

import (
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind"
)

// TestKernelIsInnermost: frames in the kernel lie within the program's, are told apart by
// module and place, and stand alone where there are no others.
func TestKernelIsInnermost(t *testing.T) {
	b := NewBuilder(task.Info{OS: task.Linux, PID: 1}, "test")
	wait := []task.KernelFrame{{Name: "wait", Module: "fuse", Offset: 3, Size: 9}, {Name: "entry", Offset: 1, Size: 2}}
	other := []task.KernelFrame{{Name: "wait", Offset: 3, Size: 9}, {Name: "entry", Offset: 1, Size: 2}}
	user := Stack{Frames: []unwind.Frame{{PC: 0x20, By: unwind.ByRegisters}, {PC: 0x10, Return: true, By: unwind.ByCFI}}}
	for _, frames := range [][]task.KernelFrame{wait, wait, other} {
		b.Add(&task.Snapshot{Threads: []task.Thread{{ID: 1, Kernel: frames}}}, []Stack{user}, nil)
	}
	alone := Stack{Stop: unwind.Stop{Reason: unwind.NotCaptured}}
	b.Add(&task.Snapshot{Threads: []task.Thread{{ID: 2, Kernel: wait}}}, []Stack{alone}, nil)
	p := b.Profile()
	var got []string
	for _, t := range p.Threads {
		for _, n := range t.Nodes() {
			got = append(got, n.PC.String()+n.Function)
			if inKernel := n.PC == 0; n.Kernel != inKernel || n.Placeless() != inKernel || inKernel && (n.By != unwind.ByReport || !n.Return) {
				t.Err += n.Function
			}
		}
	}
	want := []string{"0x10", "0x20", "0x0entry", "0x0wait [fuse]", "0x0wait", "0x0entry", "0x0wait [fuse]"}
	if !slices.Equal(got, want) || p.Threads[0].Err+p.Threads[1].Err != "" || p.Frames != 14 {
		t.Errorf("got %q, %+v, %d frames; want %q", got, p.Threads, p.Frames, want)
	}
	if cut := p.Threads[1].Roots[0].Cut; cut == nil || p.Threads[0].Roots[0].Cut != nil || p.Threads[1].Empty != 0 {
		t.Errorf("cut: %v", cut)
	}
}
