package task

import "errors"

// ErrNoKernel is of a process of which nothing tells where its threads are in the kernel.
var ErrNoKernel = errors.New("nothing here tells where its threads are in the kernel: leave out --kernel")

// KernelTeller is a live [Process] that can tell where its threads are in the kernel.
type KernelTeller interface {
	// TellKernel has each Capture from now on tell it. Its error says why that cannot be.
	TellKernel() error
}

// TellKernel is p's, where it is a [KernelTeller], and else [ErrNoKernel].
func TellKernel(p Process) error {
	if k, ok := p.(KernelTeller); ok {
		return k.TellKernel()
	}
	return ErrNoKernel
}
