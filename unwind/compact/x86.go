package compact

import (
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

// UNWIND_X86_64_* and UNWIND_X86_*, which differ in the size of a word and in the
// registers that 1 to 6 mean.
const (
	x86Frame     = 0x01000000
	x86Immediate = 0x02000000
	x86Indirect  = 0x03000000
	x86DWARF     = 0x04000000

	x86FrameRegisters = 5 // of 3 bits each, from bit 0
	x86Offset         = 0x00ff0000
	x86OffsetShift    = 16
	x86StackSize      = 0x00ff0000
	x86StackShift     = 16
	x86Adjust         = 0x0000e000
	x86AdjustShift    = 13
	x86Count          = 0x00001c00
	x86CountShift     = 10
	x86Permutation    = 0x000003ff
)

// x86 holds what differs between AMD64 and I386.
type x86 struct {
	arch      task.Arch
	word      int32
	registers [7]task.Reg // by compact number; 0 is none
	pushFP    []byte      // push fp; mov sp, fp
	subSP     []byte      // sub imm32, sp without the immediate
}

// rule is the rule of a function body, w being the size of a word:
//
//	frame:      cfa = fp + 2w; fp = *(cfa - 2w); pc = *(cfa - w); reg i = *(fp - offset·w + i·w)
//	immediate:  cfa = sp + size·w; pc = *(cfa - w); n registers right below
//	indirect:   the same with size·w = imm32 of the function's sub imm32, sp, + adjust·w
//	none:       the frame's rule where the function starts push fp; mov sp, fp;
//	            else cfa = sp + w; pc = *(cfa - w)
func (x *x86) rule(f *function) (rule.Rule, error) {
	switch e := f.encoding; e.mode() {
	case x86Frame:
		return x.frame(e)
	case x86Immediate:
		return x.frameless(e, int64(e&x86StackSize>>x86StackShift)*int64(x.word))
	case x86Indirect:
		size, err := x.indirectSize(f)
		if err != nil {
			return rule.Rule{}, err
		}
		return x.frameless(e, size)
	case x86DWARF:
		return rule.Rule{}, ErrDWARF
	}
	if f.encoding.Opcode() != 0 {
		return rule.Rule{}, ErrEncoding
	}
	return x.none(f)
}

func (x *x86) frame(e Encoding) (rule.Rule, error) {
	r := rule.FramePointer(x.arch)
	off := -2*x.word - int32(e&x86Offset>>x86OffsetShift)*x.word
	for i := range x86FrameRegisters {
		n := e >> (3 * i) & 7
		if int(n) >= len(x.registers) || n == 6 {
			return rule.Rule{}, ErrEncoding // fp has its own place
		}
		if n != 0 {
			r.Save(x.registers[n], rule.At(rule.CFA, off))
		}
		off += x.word
	}
	return r, nil
}

// maxFrameless bounds the size of a frameless function's frame, in bytes.
const maxFrameless = 1 << 30

func (x *x86) frameless(e Encoding, size int64) (rule.Rule, error) {
	regs, n, err := permutation(int(e&x86Count>>x86CountShift), uint32(e&x86Permutation))
	if err != nil {
		return rule.Rule{}, err
	}
	if size < int64(x.word)*int64(n+1) || size > maxFrameless {
		return rule.Rule{}, ErrEncoding // no room for the saved registers
	}
	r := rule.Frameless(x.arch, int32(size)-x.word)
	off := -x.word * int32(n+1)
	for _, reg := range regs[:n] {
		r.Save(x.registers[reg], rule.At(rule.CFA, off))
		off += x.word
	}
	return r, nil
}

// indirectSize reads the size of a frame too large for the encoding from the
// function's sub instruction.
func (x *x86) indirectSize(f *function) (int64, error) {
	at := uint32(f.encoding & x86StackSize >> x86StackShift)
	n := uint32(len(x.subSP))
	if at < n {
		return 0, ErrEncoding
	}
	b, err := f.text(at-n, n+4)
	if err != nil {
		return 0, err
	}
	if string(b[:n]) != string(x.subSP) {
		return 0, ErrEncoding
	}
	adjust := int64(f.encoding&x86Adjust>>x86AdjustShift) * int64(x.word)
	return int64(u32(b, n)) + adjust, nil
}

// none is the rule for code that has no unwind information.
func (x *x86) none(f *function) (rule.Rule, error) {
	b, err := f.text(0, uint32(len(x.pushFP)))
	framed := err == nil && string(b) == string(x.pushFP)
	switch {
	case framed && f.offset >= uint32(len(x.pushFP)):
		return rule.FramePointer(x.arch), nil
	case framed && f.offset > 0:
		return rule.Frameless(x.arch, x.word), nil // fp is pushed but still the caller's
	case !f.first:
		return rule.Rule{}, ErrNoInfo
	}
	return rule.Frameless(x.arch, 0), nil
}
