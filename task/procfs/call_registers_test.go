//go:build linux

package procfs

import (
	"testing"

	"stacksnap/task"
)

func TestInterruptedIn(t *testing.T) {
	call := task.Syscall{State: task.InCall, Number: 232, Args: [6]uint64{5, 0x1000, 64, ^uint64(0), 0, 8}, SP: 0x7000, PC: 0x4002}
	stands := func(change func(*task.Registers)) *task.Registers {
		r := task.Registers{Arch: task.AMD64}
		setArguments(&r, &call)
		r.Set(r.Arch.SP(), 0x7000)
		r.Set(r.Arch.PC(), 0x4002)
		r.Set(0, ^uint64(3)) // EINTR
		change(&r)
		return &r
	}
	tests := []struct {
		name   string
		change func(*task.Registers)
		want   bool
	}{
		{"EINTR", func(*task.Registers) {}, true},
		{"ERESTARTSYS", func(r *task.Registers) { r.Set(0, ^uint64(511)) }, true},
		{"ERESTART_RESTARTBLOCK", func(r *task.Registers) { r.Set(0, ^uint64(515)) }, true},
		{"returned", func(r *task.Registers) { r.Set(0, 1) }, false},
		{"failed otherwise", func(r *task.Registers) { r.Set(0, ^uint64(8)) }, false},
		{"elsewhere", func(r *task.Registers) { r.Set(r.Arch.PC(), 0x4004) }, false},
		{"deeper", func(r *task.Registers) { r.Set(r.Arch.SP(), 0x6ff8) }, false},
		{"another call", func(r *task.Registers) { r.Set(4, 0x2000) }, false},
	}
	for _, test := range tests {
		if got := Interrupted(&call, stands(test.change)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if Interrupted(&task.Syscall{}, stands(func(*task.Registers) {})) {
		t.Error("no call is known")
	}
}

// TestInterruptedInOnARM: the kernel winds back a call that is to be made again, and
// gives the first argument's register its value back.
func TestInterruptedInOnARM(t *testing.T) {
	call := task.Syscall{State: task.InCall, Number: 63, Args: [6]uint64{5, 0x1000, 64, 1, 2, 3}, SP: 0x7000, PC: 0x4004}
	const eintr = ^uint64(3)
	tests := []struct {
		name  string
		arch  task.Arch
		back  task.Addr // how far the pc is before that of the call
		first uint64    // argument's register
		want  bool
	}{
		{"ended", task.ARM64, 0, eintr, true},
		{"to be made again", task.ARM64, 4, 5, true},
		{"returned", task.ARM64, 0, 5, false},
		{"of another file", task.ARM64, 4, 6, false},
		{"wound back with a result", task.ARM64, 4, eintr, false},
		{"before that", task.ARM64, 8, 5, false},
		{"32 bits", task.ARM, 4, 5, true},
		{"Thumb", task.ARM, 2, 5, true},
		{"half of an instruction", task.ARM64, 2, 5, false},
		{"x86", task.AMD64, 4, 5, false},
	}
	for _, test := range tests {
		r := task.Registers{Arch: test.arch}
		setArguments(&r, &call)
		r.Set(argumentRegisters[test.arch][0], test.first)
		r.Set(r.Arch.SP(), uint64(call.SP))
		r.Set(r.Arch.PC(), uint64(call.PC-test.back))
		if got := Interrupted(&call, &r); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// TestArgumentsOfEveryArch: a call is not compared by the registers of another
// architecture.
func TestArgumentsOfEveryArch(t *testing.T) {
	for a := task.UnknownArch + 1; a < task.NumArchs; a++ {
		if len(argumentRegisters[a]) != 6 {
			t.Errorf("%v has no row", a)
		}
	}
	if inCall(new(task.Registers), &task.Syscall{State: task.InCall}) {
		t.Error("registers of an unknown architecture are those of a call")
	}
}
