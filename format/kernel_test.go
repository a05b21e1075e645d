package format_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"stacksnap/format"
	"stacksnap/format/folded"
	"stacksnap/format/internal/golden"
	"stacksnap/format/jsondoc"
	"stacksnap/format/pprof"
	"stacksnap/format/profile"
	"stacksnap/format/report"
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

// TestKernelIsMarked, in each format as that has it.
func TestKernelIsMarked(t *testing.T) {
	marks := map[string][]string{
		"tree":       {"trap [k] + 16 (kernel)", "??? [k] (kernel + 0x0)", "??? [k] [0xf000]", "  main [0x1000]"},
		"summary":    {"trap [k]"},
		"json":       {`"kernel": true`},
		"jsonl":      {`"kernel":true`},
		"folded":     {";main;trap_[k];kernel+0x0_[k];0xf000_[k] 1"},
		"pprof":      {"trap [k]"},
		"speedscope": {`"trap [k]"`, `"kernel+0x0 [k]"`, `"0xf000 [k]"`},
		"otlp":       {"trap [k]"},
		"html":       {"trap [k]"},
		"svg":        {"<title>trap [k] (1 sample"},
		"sample":     {"trap [k]  (in kernel) + 16  [0x9110]", "??? [k]  (in kernel)", "??? [k]  (in <unknown binary>)  [0xf000]"},
		"spindump":   {"*1  trap + 16 (kernel + 272) [0x9110]", "*1  ??? (kernel + 0) [0x9000]", "*1  ??? [0xf000]"},
		"ips":        {`"symbol": "trap [k]"`},
		"crash":      {"trap [k] + 16\n"},
		"firefox":    nil, "chrome": nil, "spindump-timeline": nil, // they are for what has times
	}
	for _, f := range format.All() {
		wanted, ok := marks[f.Name]
		if !ok {
			t.Errorf("this test does not know how %s marks the kernel's frames", f.Name)
		}
		if refuses(t, f, inKernel()) != (wanted == nil) {
			t.Errorf("%s: nothing is written", f.Name)
		}
		for _, want := range wanted {
			if got := golden.Written(t, f.Write, inKernel()); !bytes.Contains(got, []byte(want)) {
				t.Errorf("%s: no %q in\n%s", f.Name, want, got)
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
		write report.Writer
		read  func(*bytes.Buffer) (*profile.Profile, error)
	}{
		"json":  {jsondoc.Write, func(b *bytes.Buffer) (*profile.Profile, error) { return jsondoc.Read(b) }},
		"pprof": {pprof.Write, func(b *bytes.Buffer) (*profile.Profile, error) { return pprof.Read(b) }},
	} {
		p, err := c.read(bytes.NewBuffer(golden.Written(t, c.write, inKernel())))
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
	for want, write := range map[string]report.Writer{
		"\n  wait [fuse] [k] + 32\n": text.Tree, ";wait [fuse]_[k] 1\n": folded.Write, `"offset": 32`: jsondoc.Write,
		`"wait [fuse] [k]"`: speedscope.Write, " wait [fuse] [k]\n": text.Summary,
	} {
		if got := golden.Written(t, write, p); !bytes.Contains(got, []byte(want)) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
