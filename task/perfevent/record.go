package perfevent

import (
	"encoding/binary"
	"errors"
	"time"

	"stacksnap/task"
)

// Sample is one sample of a thread.
type Sample struct {
	PID, TID  int           // in our own pid namespace
	Time      time.Duration // of CLOCK_MONOTONIC
	Processor int
	Registers task.Registers // in user code, or on entering the kernel
	Stack     []byte         // from the stack pointer up
	// Kernel is the call chain in the kernel, as raw words: see [Sample.KernelAddrs].
	Kernel []byte
	// Cut says that Stack has the requested size, so the stack may continue;
	// otherwise it ended, or the next memory was not resident.
	Cut bool
}

var (
	errRecord    = errors.New("not a record of a sample of ours")
	errRegisters = errors.New("a sample without registers of user code")
)

// struct perf_event_header (include/uapi/linux/perf_event.h): type u32, misc u16,
// size u16, the size of the whole record.
const (
	headerSize   = 8
	recordSample = 9 // PERF_RECORD_SAMPLE
)

func headerOf(b []byte) (kind uint32, size int) {
	return binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint16(b[6:]))
}

// The values of abi (enum perf_sample_regs_abi).
const (
	abi32 = 1
	abi64 = 2
)

// form describes the records: the architecture, and whether they have call chains.
type form struct {
	host   task.Arch
	chains bool
}

// parse decodes a record of our events, in the order of perf_event_open(2): pid and
// tid, time, processor, the length of the call chain and its words, abi and
// registers, the size of the copy of the stack, the copy, and how much of it is
// valid. Stack and chain are parts of b.
func parse(f form, b []byte, s *Sample) error {
	if len(b) < headerSize {
		return errRecord
	}
	if kind, size := headerOf(b); kind != recordSample || size != len(b) {
		return errRecord
	}
	c := cursor{rest: b[headerSize:]}
	s.PID, s.TID = int(int32(c.word32())), int(int32(c.word32()))
	s.Time = time.Duration(c.word64())
	s.Processor = int(c.word32())
	c.word32() // reserved
	if s.Kernel = nil; f.chains {
		s.Kernel = c.bytes(8 * min(c.word64(), uint64(len(b)))) // a larger number is rejected
	}
	if err := s.parseRegisters(f.host, &c); err != nil {
		return err
	}
	asked := c.word64()
	s.Stack, s.Cut = nil, false
	if asked == 0 || c.bad {
		return c.err()
	}
	copied := c.bytes(asked)
	used := c.word64()
	if used > uint64(len(copied)) {
		return errRecord
	}
	s.Stack, s.Cut = copied[:used], used == asked
	return c.err()
}

func (s *Sample) parseRegisters(host task.Arch, c *cursor) error {
	abi := c.word64()
	f := fileOf(host, abi)
	if c.bad || f == nil {
		return errRegisters
	}
	s.Registers = task.Registers{Arch: f.arch}
	for _, reg := range f.slots {
		v := c.word64()
		if f.arch.PointerSize() == 4 {
			v = uint64(uint32(v))
		}
		if reg != skip {
			s.Registers.Set(reg, v)
		}
	}
	return c.err()
}

// cursor reads fields from the start of a record.
type cursor struct {
	rest []byte
	bad  bool // the record was too short
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.rest)) {
		c.bad, c.rest = true, nil
		return nil
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) word64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (c *cursor) word32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) err() error {
	if c.bad {
		return errRecord
	}
	return nil
}
