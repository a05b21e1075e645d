package format_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/folded"
	"stacksnap/format/jsondoc"
	"stacksnap/format/otlp"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/speedscope"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// inKernel is a thread that is in the kernel, in a function, in code without a name and
// in code of no file.
func inKernel() *profile.Profile {
	kernel := &profile.Image{Path: "kernel", Load: 0x9000, End: 0xa000}
	node := func(n profile.Node, below *profile.Node) *profile.Node {
		n.Count, n.By, n.Kernel = 1, unwind.ByFramePointer, true
		if n.Self = 1; below != nil {
			n.Self, n.Children = 0, []*profile.Node{below}
		}
		return &n
	}
	nowhere := node(profile.Node{PC: 0xf000}, nil)
	bare := node(profile.Node{PC: 0x9000, Location: profile.Location{Image: kernel}}, nowhere)
	named := node(profile.Node{PC: 0x9110, Location: profile.Location{Image: kernel, Function: "trap", Offset: 0x10}}, bare)
	own := node(profile.Node{PC: 0x1000, Location: profile.Location{Function: "main"}}, named)
	own.Kernel = false
	return &profile.Profile{
		Target: task.Info{OS: task.Darwin, PID: 1, Name: "it"}, Snapshots: 1, Images: []*profile.Image{kernel}, Frames: 4,
		Threads: []*profile.Thread{{ID: 1, Samples: 1, Roots: []*profile.Node{own}}},
	}
}

func TestKernelIsMarked(t *testing.T) {
	for name, c := range map[string]struct {
		write words.Writer
		want  []string
	}{
		"tree":       {text.Tree(words.Options{}), []string{"trap [k] + 16 (kernel)", "??? [k] (kernel + 0x0)", "??? [k] [0xf000]", "  main [0x1000]"}},
		"folded":     {folded.Write, []string{";main;trap_[k];kernel+0x0_[k];0xf000_[k] 1"}},
		"json":       {jsondoc.Write, []string{`"kernel": true`}},
		"speedscope": {speedscope.Write, []string{`"trap [k]"`, `"kernel+0x0 [k]"`, `"0xf000 [k]"`}},
		"summary":    {text.Summary(words.Options{}), []string{"trap [k]"}},
		"otlp":       {otlp.Writer(words.Options{}), []string{"trap [k]"}},
	} {
		var b bytes.Buffer
		if err := c.write(&b, inKernel()); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
	}
}

// kernelNodes tells of each frame whether it is the kernel's.
func kernelNodes(p *profile.Profile) (list []bool) {
	for _, n := range p.Threads[0].Nodes() {
		list = append(list, n.Kernel)
	}
	return list
}

func TestKernelIsReadBack(t *testing.T) {
	want := []bool{false, true, true, true}
	for name, c := range map[string]struct {
		write words.Writer
		read  func(*bytes.Buffer) (*profile.Profile, error)
	}{
		"json":  {jsondoc.Write, func(b *bytes.Buffer) (*profile.Profile, error) { return jsondoc.Read(b) }},
		"pprof": {pprof.Write, func(b *bytes.Buffer) (*profile.Profile, error) { return pprof.Read(b) }},
	} {
		var b bytes.Buffer
		if err := c.write(&b, inKernel()); err != nil {
			t.Fatal(err)
		}
		p, err := c.read(&b)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := kernelNodes(p); !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
		for _, n := range p.Threads[0].Nodes() {
			if strings.Contains(n.Function, "[k]") {
				t.Errorf("%s: %q", name, n.Function)
			}
		}
	}
	if got := kernelNodes(inKernel().ByFunction()); !slices.Equal(got, want) {
		t.Errorf("by function: %v", got)
	}
	if got := kernelNodes(inKernel().Invert()); !slices.Equal(got, []bool{true, true, true, false}) {
		t.Errorf("turned: %v", got)
	}
}

func TestKernelIsWhereItIs(t *testing.T) {
	p := inKernel()
	p.Threads[0].State, p.Threads[0].Main = task.Running, true
	if s := words.Headline(p); !strings.HasSuffix(s, ", in the kernel") {
		t.Error(s)
	}
}

// TestKernelWithoutAddress: Linux names its functions, and where in them a thread is, but
// tells no addresses.
func TestKernelWithoutAddress(t *testing.T) {
	wait := &profile.Node{Return: true, By: unwind.ByReport, Location: profile.Location{Function: "wait [fuse]", Offset: 0x20, Kernel: true}, Count: 1, Self: 1}
	p := &profile.Profile{
		Target: task.Info{OS: task.Linux, PID: 1, Name: "it"}, Snapshots: 1, Frames: 1,
		Threads: []*profile.Thread{{ID: 1, Samples: 1, Roots: []*profile.Node{wait}}},
	}
	for want, write := range map[string]words.Writer{
		"\n  wait [fuse] [k] + 32\n": text.Tree(words.Options{}), ";wait [fuse]_[k] 1\n": folded.Write, `"offset": 32`: jsondoc.Write,
		`"wait [fuse] [k]"`: speedscope.Write, " wait [fuse] [k]\n": text.Summary(words.Options{}),
	} {
		var b bytes.Buffer
		if err := write(&b, p); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v: no %q in\n%s", err, want, b.String())
		}
	}
}
