//go:build linux

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"stacksnap/task"
	"stacksnap/task/kallsyms"
	"stacksnap/task/perfevent"
	"stacksnap/task/procfs"
)

// kernelSymbols reads the kernel's symbols once for all processes, when they are first needed.
var kernelSymbols = sync.OnceValues(func() (*kallsyms.Table, error) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return kallsyms.Read(f)
})

// kernelUnnamed is the name of a kernel frame whose function is not known.
const kernelUnnamed = "<code without a name>"

// kernelChains names the places in the kernel at which threads run.
type kernelChains struct {
	symbols *kallsyms.Table               // nil: there are none
	named   map[string][]task.KernelFrame // by the words of the call chain
}

// maxChains bounds the number of chains in named.
const maxChains = 4096

// learnSymbols reads the kernel's symbols. Its error says in one line why they are not
// available, and what to do.
func (k *kernelChains) learnSymbols() error {
	k.named = map[string][]task.KernelFrame{}
	var err error
	k.symbols, err = kernelSymbols()
	return lacksSymbols(err, os.Geteuid() == 0)
}

func lacksSymbols(err error, root bool) error {
	if err == nil {
		return nil
	}
	line := fmt.Errorf("of threads that run in the kernel it is not told where: %w", err)
	switch {
	case !errors.Is(err, kallsyms.ErrHidden):
		return line
	case root:
		return fmt.Errorf("%w: run sysctl kernel.kptr_restrict=1", line)
	}
	return fmt.Errorf("%w: run as root, or run sysctl kernel.kptr_restrict=0", line)
}

// runsIn returns where in the kernel a thread was when the sample was made.
func (k *kernelChains) runsIn(s *perfevent.Sample) []task.KernelFrame {
	if k.symbols == nil || len(s.Kernel) == 0 {
		return nil
	}
	frames, known := k.named[string(s.Kernel)]
	if known {
		return frames
	}
	if len(k.named) == maxChains {
		clear(k.named)
	}
	for i, a := range s.KernelAddrs() {
		f, ok := k.symbols.Find(a, i > 0)
		if !ok {
			f.Name = kernelUnnamed
		}
		frames = append(frames, f)
	}
	if len(frames) >= perfevent.MaxChain {
		frames = append(frames, task.KernelFrame{Name: procfs.KernelCut})
	}
	k.named[string(s.Kernel)] = frames
	return frames
}
