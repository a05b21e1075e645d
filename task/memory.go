package task

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Addr is an address in the target process, never one in a file. An address in a file's own
// numbering is a vmaddr (a plain uint64), and slide = address − vmaddr.
type Addr uint64

// String returns the address in hexadecimal with 0x before it.
func (a Addr) String() string {
	var b [len("0x") + 16]byte
	return string(strconv.AppendUint(append(b[:0], "0x"...), uint64(a), 16))
}

// Memory reads the target's memory. A read that meets an unreadable byte returns the number n <
// len(p) of bytes before it and a *[FaultError] with its address.
type Memory interface {
	ReadMemory(p []byte, a Addr) (n int, err error)
}

// FaultError says that the target's memory could not be read at Addr.
type FaultError struct {
	Addr Addr
	Err  error // the error of the kernel or the file; may be nil
}

func (e *FaultError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("memory at %v is not readable", e.Addr)
	}
	return fmt.Sprintf("memory at %v was not read: %v", e.Addr, e.Err)
}

func (e *FaultError) Unwrap() error { return e.Err }

// ReadFull reads len(p) bytes or fails: a short read is an error even when the memory returned
// none.
func ReadFull(m Memory, p []byte, a Addr) error {
	n, err := m.ReadMemory(p, a)
	if n == len(p) {
		return nil
	}
	if err == nil {
		err = &FaultError{Addr: a + Addr(n)}
	}
	return err
}

// ReadPointer reads a little-endian pointer of size bytes, 4 or 8.
func ReadPointer(m Memory, a Addr, size int) (Addr, error) {
	var b [8]byte
	if err := ReadFull(m, b[:size], a); err != nil {
		return 0, err
	}
	return Addr(binary.LittleEndian.Uint64(b[:])), nil
}

// cStringChunk is how much ReadCString reads at a time. Reads end at multiples of it, so that a
// string which ends just before an unreadable page is still read.
const cStringChunk = 256

// ReadCString reads a NUL-terminated string of at most limit bytes. A string
// that is longer, or that runs into unreadable memory, is an error.
func ReadCString(m Memory, a Addr, limit int) (string, error) {
	var s []byte
	for len(s) < limit {
		var chunk [cStringChunk]byte
		at := a + Addr(len(s))
		p := chunk[:cStringChunk-int(at%cStringChunk)]
		n, err := m.ReadMemory(p, at)
		if i := bytes.IndexByte(p[:n], 0); i >= 0 {
			return string(append(s, p[:i]...)), nil
		}
		s = append(s, p[:n]...)
		if n < len(p) {
			if err == nil {
				err = &FaultError{Addr: at + Addr(n)}
			}
			return "", fmt.Errorf("string at %v: %w", a, err)
		}
	}
	return "", fmt.Errorf("string at %v: not ended within %d bytes", a, limit)
}
