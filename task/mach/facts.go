package mach

import (
	"bytes"
	"encoding/binary"

	"stacksnap/task"
)

// argcSize is that of the int before what KERN_PROCARGS2 gives.
const argcSize = 4

// command returns the command line in what KERN_PROCARGS2 gives: an int argc, the
// path given to exec, NULs up to a multiple of the pointer's size, and the
// arguments, each ended by NUL, with the environment behind them
// (bsd/kern/kern_sysctl.c, sysctl_procargsx). All but argc is the target's own
// memory, which it may have written over.
func command(args []byte) task.Command {
	if len(args) <= argcSize {
		return task.Command{}
	}
	argc := int(int32(binary.LittleEndian.Uint32(args)))
	_, rest, _ := bytes.Cut(args[argcSize:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	var list []string
	for len(list) < min(argc, task.MaxArguments+1) && len(rest) > 0 { // one more than is kept
		arg, after, _ := bytes.Cut(rest, []byte{0})
		list, rest = append(list, string(arg)), after
	}
	return task.NewCommand(list)
}

// machine asks the system about itself.
func machine(k kernel) task.Machine {
	var m task.Machine
	m.Model, _ = k.text("hw.model")
	m.CPU, _ = k.text("machdep.cpu.brand_string")
	m.CPUs = count(k, "hw.ncpu")
	m.Active = count(k, "hw.activecpu")
	if n, e := k.number("hw.memsize"); e == ok {
		m.Memory = n
	}
	return m
}

func count(k kernel, name string) int {
	const most = 1 << 20
	if n, e := k.number(name); e == ok && n <= most {
		return int(n)
	}
	return 0
}

// footprint is the physical footprint, as Activity Monitor's Memory column has it.
func (p *Process) footprint() task.Footprint {
	f, r := p.k.vmInfo(p.task)
	if r != success {
		return task.Footprint{}
	}
	return f
}
