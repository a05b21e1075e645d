package waits

import (
	"testing"

	"stacksnap/images"
	"stacksnap/task"
)

// What a thread of a Darwin process has nothing to do in, and what it is stuck in.
func TestJudge(t *testing.T) {
	const context, fp = 0x6000, 0x7100
	functions := []string{"mach_msg2_trap", "__CFRunLoopServiceMachPort", "CFMessagePortSendRequest", "runModal"}
	m, frames := stack(functions...)
	run := func(callers ...int) []byte { // frame records from fp on
		b := make([]byte, 0x100)
		for i, f := range callers {
			next := uint64(fp + 16*(i+1))
			if i == len(callers)-1 {
				next = 0
			}
			copy(b[16*i:], little(16, map[int]uint64{0: next, 8: uint64(frames[f].PC) | 1<<60}))
		}
		return b
	}
	tests := []struct {
		name   string
		number int
		args   [6]uint64
		stack  []byte
		want   Kind
	}{
		{"run loop", -47, [6]uint64{0, 2}, run(1), Loop},
		{"modal loop", -31, [6]uint64{0, 2}, run(1, 3), Loop},
		{"message loop of its own", -31, [6]uint64{0, 2}, nil, Loop},
		{"reply to a CFMessagePort", -47, [6]uint64{0, 2}, run(1, 2), Other},
		{"frames in a circle", -31, [6]uint64{0, 2}, little(16, map[int]uint64{0: fp, 8: 0x10020}), Loop},
		{"reply", -31, [6]uint64{0, 3}, run(1), Other},
		{"synchronous reply", -47, [6]uint64{0, 0x4002}, run(1), Other},
		{"idle worker", 368, [6]uint64{4}, nil, Loop},
		{"kevent loop", 363, [6]uint64{3}, nil, Loop},
		{"queue by kevent_id", 375, [6]uint64{0x5000}, nil, Lock},
		{"queue by ulock", 515, [6]uint64{1, context + contextEvent}, nil, Lock},
		{"word", 515, [6]uint64{1, context + contextEvent + 4}, nil, Other},
		{"unfair lock", 515, [6]uint64{2, 0x5000}, nil, Lock},
		{"read", 3, [6]uint64{3}, nil, Other},
		{"no call", 4000, [6]uint64{}, nil, Other},
	}
	for _, arch := range []task.Arch{task.AMD64, task.ARM64} {
		for _, test := range tests {
			p := onDarwin(arch)
			p.info.CodeMask = 1<<47 - 1
			p.memory[fp] = test.stack
			p.memory[context] = append(little(contextSize, map[int]uint64{
				contextFlags: 1, contextSelf: context, contextQueue: topAt, contextEvent: selfPort << 32}), 0, 0, 0, 0, 0, 0, 0, 0)
			thread, _ := darwinThread(arch, test.number, test.args)
			thread.Registers.Set(arch.FP(), fp)
			s := task.Syscall{Number: test.number, Args: test.args}
			if got := NewJudge(p, func() *images.Map { return m }).Kind(&thread.Registers, &s); got != test.want {
				t.Errorf("%v, %s: %v, want %v", arch, test.name, got, test.want)
			}
		}
	}
}
