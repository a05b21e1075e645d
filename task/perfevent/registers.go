package perfevent

import "stacksnap/task"

// file maps the values of a sample to DWARF registers, in the order of the bits by
// which they are requested.
type file struct {
	arch  task.Arch
	slots []task.Reg
}

// skip marks a value that the unwinder does not use.
const skip = ^task.Reg(0)

// host is what a kernel gives.
type host struct {
	mask uint64 // what to ask for
	by64 *file  // of a thread with 64-bit registers
	by32 *file
}

// The registers asked for, as bits of sample_regs_user: of enum perf_event_x86_regs
// AX to IP and R8 to R15, of enum perf_event_arm_regs X0 to PC
// (arch/x86, arch/arm64/include/uapi/asm/perf_regs.h). Other kernels are not asked.
var hosts = [task.NumArchs]host{
	task.AMD64: {0x1ff | 0xff<<16, &amd64File, &i386File},
	task.ARM64: {1<<33 - 1, &arm64File, &armFile},
}

// mask returns what to ask for on a kernel of that architecture.
func mask(arch task.Arch) uint64 { return hosts[arch].mask }

// In the order ax bx cx dx si di bp sp ip r8…r15. A 32-bit thread's are in the same
// places.
var (
	amd64File = file{task.AMD64, []task.Reg{0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15}}
	i386File  = file{task.I386, []task.Reg{0, 3, 1, 2, 6, 7, 5, 4, 8, skip, skip, skip, skip, skip, skip, skip, skip}}
)

// x0…x30, sp, pc. A 32-bit thread has r0…r15 first, with its sp, lr and pc as 13, 14
// and 15 (perf_reg_value, arch/arm64/kernel/perf_regs.c).
var (
	arm64File = file{task.ARM64, []task.Reg{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
		23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
	}}
	armFile = file{task.ARM, []task.Reg{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, skip, skip, skip, skip, skip, skip, skip,
		skip, skip, skip, skip, skip, skip, skip, skip, skip, skip,
	}}
)

// fileOf returns the layout that a kernel gives, nil where there are no registers
// (the thread is the kernel's own, or ends).
func fileOf(arch task.Arch, abi uint64) *file {
	switch abi {
	case abi64:
		return hosts[arch].by64
	case abi32:
		return hosts[arch].by32
	}
	return nil
}
