package ptrace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/task"
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
	if got := parseKernelStack(b.Bytes()); len(got) != maxStackTrace+1 || got[maxStackTrace-1].Name != "last" || got[maxStackTrace].Name != kernelCut {
		t.Errorf("of 65 frames: %v", got)
	}
}

func TestParseChannel(t *testing.T) {
	for text, want := range map[string][]task.KernelFrame{
		"0": nil, "": nil, "do_wait": {{Name: "do_wait"}, {Name: kernelCut}},
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
