//go:build linux

package ptrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/task"
	"stacksnap/task/kallsyms"
	"stacksnap/task/needs"
	"stacksnap/task/perfevent"
	"stacksnap/task/procfs"
)

// copiedAt is a copy of a thread that ran in the kernel at these addresses.
func copiedAt(addrs ...uint64) *perfevent.Sample {
	chain := binary.LittleEndian.AppendUint64(nil, ^uint64(127)) // PERF_CONTEXT_KERNEL
	for _, a := range addrs {
		chain = binary.LittleEndian.AppendUint64(chain, a)
	}
	return &perfevent.Sample{Kernel: chain}
}

// TestRunsIn names what was interrupted by its own address, and callers by those that
// they return to; it says where there may be more, and where there is no name.
func TestRunsIn(t *testing.T) {
	table, err := kallsyms.Read(strings.NewReader("ffffffff81000000 T outer\nffffffff81000100 T inner\nffffffff81000200 t end\t[mod]\n"))
	must(t, err)
	k := kernelChains{symbols: table, named: map[string][]task.KernelFrame{}}
	want := []task.KernelFrame{{Name: "inner", Size: 0x100}, {Name: "outer", Offset: 0x100, Size: 0x100}, {Name: kernelUnnamed}}
	got := k.runsIn(copiedAt(0xffffffff81000100, 0xffffffff81000100, 0xffffffff90000000))
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if again := k.runsIn(copiedAt(0xffffffff81000100, 0xffffffff81000100, 0xffffffff90000000)); &again[0] != &got[0] {
		t.Error("the same chain is named again")
	}
	deep := k.runsIn(copiedAt(slices.Repeat([]uint64{0xffffffff81000010}, perfevent.MaxChain)...))
	if n := len(deep); n != perfevent.MaxChain+1 || deep[n-1].Name != procfs.KernelCut {
		t.Errorf("%d frames of a deep chain", n)
	}
	if got := k.runsIn(&perfevent.Sample{}); got != nil {
		t.Errorf("in user code: %+v", got)
	}
	for i := range 2 * maxChains {
		k.runsIn(copiedAt(uint64(i) + 1))
	}
	if len(k.named) > maxChains {
		t.Errorf("%d chains are kept", len(k.named))
	}
	k.symbols = nil
	if got := k.runsIn(copiedAt(0xffffffff81000100)); got != nil {
		t.Errorf("where nothing is told: %+v", got)
	}
}

func TestLacksSymbols(t *testing.T) {
	for _, test := range []struct {
		err  error
		root bool
		want string
	}{
		{nil, true, ""},
		{kallsyms.ErrHidden, true, "kptr_restrict): run sysctl kernel.kptr_restrict=1"},
		{kallsyms.ErrHidden, false, "kptr_restrict): run as root"},
		{os.ErrNotExist, false, "not exist"},
	} {
		err := lacksSymbols(test.err, test.root)
		if got := fmt.Sprint(err); !strings.Contains(got, test.want) || (err == nil) != (test.err == nil) || !errors.Is(err, test.err) {
			t.Errorf("%v, root %v: %q", test.err, test.root, got)
		}
	}
}

// TestObservedInTheKernel: threads that read what is always there are seen in the kernel,
// below the call, where that is asked for, and only then.
func TestObservedInTheKernel(t *testing.T) {
	for _, asked := range []bool{false, true} {
		cmd := startHelper(t, "readzero")
		p := attach(t, cmd.Process.Pid)
		if asked {
			_, err := p.CopyKernel()
			must(t, err)
		}
		needs.PerfEvents(t, p.CopyRunning(time.Millisecond))
		names := map[string]int{}
		eventually(t, "it was copied", func() bool {
			must(t, sample(t, p, 50, task.Options{Suspend: task.SuspendNone, Interval: time.Millisecond}, func(s *task.Snapshot) {
				for i := range s.Threads {
					if th := &s.Threads[i]; th.Age > 0 {
						names[""]++
						for _, f := range th.Kernel {
							names[f.Name]++
						}
					}
				}
			}))
			return names["vfs_read"] > 0 || !asked && names[""] > 10
		})
		if !asked && len(names) != 1 {
			t.Errorf("it was not asked: %v", names)
		}
		must(t, p.Close())
	}
}
