//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/procfs/procfstest"
)

// kernelStacks are texts as Linux 6.18, 4.9 and, of a module, 6.1 have them.
var kernelStacks = map[string][]task.KernelFrame{
	"[<0>] hrtimer_nanosleep+0x74/0xf0\n[<0>] do_syscall_64+0x71/0x280\n": {
		{Name: "hrtimer_nanosleep", Offset: 0x74, Size: 0xf0}, {Name: "do_syscall_64", Offset: 0x71, Size: 0x280},
	},
	"[<ffffffff810f0e65>] futex_wait_queue_me+0xc5/0x120\n[<ffffffffffffffff>] 0xffffffffffffffff\n": {
		{Name: "futex_wait_queue_me", Offset: 0xc5, Size: 0x120}, {Name: "0xffffffffffffffff"},
	},
	"[<0>] request_wait_answer+0x151/0x210 [fuse]\n": {{Name: "request_wait_answer", Module: "fuse", Offset: 0x151, Size: 0x210}},
	"[<0>] 0xffffffffc0801234\n":                     {{Name: "0xffffffffc0801234"}},
	"[<0>] a+b\n":                                    {{Name: "a+b"}},
	"[<0>] a+0x1/0x0\n":                              {{Name: "a+0x1/0x0"}},
	"":                                               nil,
	"\n":                                             nil,
}

func TestParseKernelStack(t *testing.T) {
	for text, want := range kernelStacks {
		if diff := cmp.Diff(want, parseKernelStack([]byte(text))); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

// TestKernelStackIsCut: of the longest stack that the kernel tells, there may be callers
// that it does not.
func TestKernelStackIsCut(t *testing.T) {
	var b bytes.Buffer
	for i := range maxStackTrace - 1 {
		fmt.Fprintf(&b, "[<0>] f%d+0x1/0x2\n", i)
	}
	if got := parseKernelStack(b.Bytes()); len(got) != maxStackTrace-1 || got[len(got)-1].Name != "f62" {
		t.Errorf("of 63 frames: %v", got)
	}
	b.WriteString("[<0>] last+0x1/0x2\n[<0>] more+0x1/0x2\n")
	if got := parseKernelStack(b.Bytes()); len(got) != maxStackTrace+1 || got[maxStackTrace-1].Name != "last" || got[maxStackTrace].Name != KernelCut {
		t.Errorf("of 65 frames: %v", got)
	}
}

func TestParseChannel(t *testing.T) {
	for text, want := range map[string][]task.KernelFrame{
		"0": nil, "": nil, "do_wait": {{Name: "do_wait"}, {Name: KernelCut}},
	} {
		if diff := cmp.Diff(want, parseChannel([]byte(text))); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

func FuzzParseKernelStack(f *testing.F) {
	for text := range kernelStacks {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frames := parseKernelStack(b)
		if len(frames) > maxStackTrace+1 {
			t.Errorf("%d frames", len(frames))
		}
		for _, f := range frames {
			if len(f.Name) > task.MaxKernelName || f.Size == 0 && f.Offset != 0 || strings.ContainsRune(f.Name, '\n') {
				t.Errorf("%+v", f)
			}
		}
	})
}

const (
	counts  = "100 20 7\n"
	inQueue = "[<0>] ep_poll+0x1a/0x60\n"
)

func seesKernels(p *Process) {
	p.Kernel.known, p.Kernel.buf = map[string][]task.KernelFrame{}, make([]byte, maxKernelText)
}

// TestStayIsProven: frames in the kernel are those of a thread that was off a processor
// when its count of runs was known.
func TestStayIsProven(t *testing.T) {
	for _, test := range []struct {
		name, schedstat, call string
		known                 bool
	}{
		{"waits in a call", counts, procfstest.InEpoll, true},
		{"waits for a page", counts, procfstest.InFault, true},
		{"runs", counts, procfstest.Running, false},
		{"kernel that does not count", "0 0 0\n", procfstest.InEpoll, false},
		{"kernel without the file", "", procfstest.InEpoll, false},
	} {
		p, fake := fakeThread(t, test.schedstat, test.call)
		seesKernels(p)
		writeFile(t, fake.Path("stack"), inQueue)
		s := p.KernelStay(fake.TID)
		if known := len(s.Frames) == 1 && s.Frames[0].Name == "ep_poll" && s.Runs == 7; known != test.known || !known && len(s.Frames) > 0 {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}

// TestStayThatEnds: the thread comes to a processor while its frames are read.
func TestStayThatEnds(t *testing.T) {
	p, fake := fakeThread(t, counts, procfstest.InEpoll)
	seesKernels(p)
	must(t, unix.Mkfifo(fake.Path("stack"), 0o600))
	other := exec.Command(needs.Tool(t, "sh"), "-c", `exec 3>"$0"; printf '900 30 8\n' >"$1"; printf '`+inQueue[:len(inQueue)-1]+`\n' >&3`, fake.Path("stack"), fake.Path("schedstat"))
	must(t, other.Start())
	s := p.KernelStay(fake.TID)
	must(t, other.Wait())
	if len(s.Frames) > 0 {
		t.Errorf("%+v", s)
	}
}
