package mach

import (
	"bytes"
	"encoding/binary"
	"path"
	"slices"

	"stacksnap/task"
	"stacksnap/task/users"
)

const (
	flagTranslated = 0x20000 // P_TRANSLATED of p_flag (bsd/sys/proc.h)

	cpuX86    = 7          // CPU_TYPE_X86 (osfmk/mach/machine.h)
	cpu64     = 0x01000000 // CPU_ARCH_ABI64
	cpuX86_64 = cpuX86 | cpu64

	largestPage        = 64 << 10
	defaultAddressBits = 47 // used where the system does not report it: arm64 macOS
)

// readInfo collects what is known of the process. If a call fails, only its fact is missing. A
// loader whose address is 0 is not known.
func readInfo(k kernel, pid int, loader dyldInfo) task.Info {
	b, e := k.bsdInfo(pid)
	hasBSD := e == ok
	args, argsErr := k.arguments(pid)
	if argsErr != ok {
		args = nil
	}
	file := executable(k, pid, args)
	hasLoader := loader.addr != 0

	info := task.Info{PID: pid, OS: task.Darwin, Live: true, Path: file, Name: name(file, b)}
	info.OSVersion = osVersion(k)
	info.Translated = isTranslated(k, pid, b)
	is32 := hasLoader && !loader.is64
	info.Arch = targetArch(k.arch(), info.Translated, is32)
	info.PageSize = pageSize(k, info.Translated)
	info.CodeMask = codeMask(k, info.Arch)
	info.Command, info.Machine = command(args), machine(k)
	if hasLoader {
		info.LoaderInfo, info.LoaderPointerSize = loader.addr, 8
		if is32 {
			info.LoaderPointerSize = 4
		}
	}
	if s, e := k.folder(pid); e == ok {
		info.Folder = s
	}
	if hasBSD {
		info.User = owner(b.uid)
		info.Start = b.start
		info.ParentPID = b.parent
		info.ParentName = parentName(k, b.parent)
	}
	return info
}

// Rename implements [task.LoaderReader]. exec gives the process its new task before it changes
// the process's name (bsd/kern/kern_exec.c, exec_mach_imgact), so facts read in between belong
// to the previous program. If the task has ended by now, the facts may belong to another
// program.
func (p *Process) Rename() bool {
	file, line := p.info.Path, p.info.Command
	if s, e := p.k.path(p.pid); e == ok && s != "" {
		file = s
	}
	if args, e := p.k.arguments(p.pid); e == ok {
		line = command(args)
	}
	if file == p.info.Path && slices.Equal(line.Args, p.info.Command.Args) || p.k.isDead(p.task) || p.gone() {
		return false
	}
	p.info.Path, p.info.Name, p.info.Command = file, path.Base(file), line
	return true
}

// owner returns the user of a process; uid is the effective one (bsd/kern/proc_info.c,
// proc_pidbsdinfo).
func owner(uid int) *task.User {
	u := &task.User{ID: uint32(uid)}
	u.Name, _ = users.Name(u.ID)
	return u
}

// name prefers the name of the program's file, because the kernel cuts its own name at 32 bytes.
func name(file string, b bsdInfo) string {
	if file != "" {
		return path.Base(file)
	}
	return b.name
}

func parentName(k kernel, pid int) string {
	if pid <= 0 {
		return ""
	}
	file, e := k.path(pid)
	if e != ok {
		file = ""
	}
	b, e := k.bsdInfo(pid)
	if e != ok {
		b = bsdInfo{}
	}
	return name(file, b)
}

// executable returns the path of the program's file or, if that is not known, the path that was
// given to exec, as in KERN_PROCARGS2.
func executable(k kernel, pid int, args []byte) string {
	if s, e := k.path(pid); e == ok && s != "" {
		return s
	}
	return execPath(args)
}

// execPath returns exec's path from the result of KERN_PROCARGS2: it follows an int and ends
// with NUL (bsd/kern/kern_sysctl.c, sysctl_procargsx).
func execPath(args []byte) string {
	if len(args) <= argcSize {
		return ""
	}
	s, _, _ := bytes.Cut(args[argcSize:], []byte{0})
	return string(s)
}

// osVersion returns a text such as "macOS 14.5 (23F79)", or the kernel's release if the product
// has no version.
func osVersion(k kernel) string {
	product, e := k.text("kern.osproductversion")
	if e != ok || product == "" {
		release, e := k.text("kern.osrelease")
		if e != ok || release == "" {
			return ""
		}
		return "Darwin " + release
	}
	if build, e := k.text("kern.osversion"); e == ok && build != "" {
		return "macOS " + product + " (" + build + ")"
	}
	return "macOS " + product
}

// isTranslated reports whether Rosetta translates the process: by the kernel's flag, from two
// calls, or because the file is for another processor than ours.
func isTranslated(k kernel, pid int, b bsdInfo) bool {
	if k.arch() != task.ARM64 {
		return false
	}
	if b.flags&flagRosetta != 0 {
		return true
	}
	if f, e := k.flags(pid); e == ok && f&flagTranslated != 0 {
		return true
	}
	cpu, e := k.cpuType(pid)
	return e == ok && cpu == cpuX86_64
}

func targetArch(host task.Arch, translated, is32 bool) task.Arch {
	switch {
	case translated:
		return task.AMD64
	case is32 && host == task.AMD64:
		return task.I386
	}
	return host
}

// pageSize returns the system's page size; translated programs see pages of 4 KiB.
func pageSize(k kernel, translated bool) int {
	if translated {
		return smallestPage
	}
	if n, e := k.number("hw.pagesize"); e == ok && n <= largestPage {
		return int(n)
	}
	return smallestPage
}

// codeMask returns the bits of an address: machdep.virtual_address_size is their number
// (bsd/dev/arm64/sysctl.c).
func codeMask(k kernel, a task.Arch) uint64 {
	if a != task.ARM64 {
		return ^uint64(0)
	}
	bits, e := k.number("machdep.virtual_address_size")
	if e != ok || bits < 32 || bits > 64 {
		bits = defaultAddressBits
	}
	return ^uint64(0) >> (64 - bits)
}

// argcSize is the size of the int at the start of the result of KERN_PROCARGS2.
const argcSize = 4

// command returns the command line from the result of KERN_PROCARGS2: an int argc, the path
// given to exec, NULs up to a multiple of the pointer size, and the arguments, each ended by
// NUL, followed by the environment (bsd/kern/kern_sysctl.c, sysctl_procargsx). All but argc is
// the target's own memory, which it may have overwritten.
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

// machine reads what the system reports about itself.
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

// footprint returns the physical footprint, which Activity Monitor shows as Memory.
func (p *Process) footprint() task.Footprint {
	f, r := p.k.vmInfo(p.task)
	if r != success {
		return task.Footprint{}
	}
	return f
}
