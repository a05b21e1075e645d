package elfcore

import (
	"bytes"
	"encoding/binary"
	"strings"

	"stacksnap/task"
)

// The types of the notes that are read. Their owner is CORE, except for the last, whose owner is
// LINUX.
const (
	ntPRStatus   = 1
	ntPRPSInfo   = 3
	ntAuxV       = 6
	ntFile       = 0x46494c45
	ntSigInfo    = 0x53494749
	ntARMPACMask = 0x406
)

// notes is what the notes contain besides the threads.
type notes struct {
	program programInfo
	aux     map[uint64]uint64
	files   []mappedFile
	pacMask uint64 // bits of a code pointer that may hold a signature
	read    uint64 // bytes of note segments read so far
}

// maxNote is the maximum size of a note. The notes of a segment are read one by one. The largest
// one is the list of files, with some 100 bytes for each mapping.
const maxNote = 16 << 20

// readNotes reads the notes of one PT_NOTE segment: { u32 length of the owner,
// u32 length of the rest, u32 type, owner and rest each padded to 4 bytes }.
func (p *Process) readNotes(ph program) {
	const head = 12
	size := uint64(p.file.Size())
	end := min(ph.offset+ph.fileSize, size)
	if ph.offset+ph.fileSize < ph.offset || ph.offset+ph.fileSize > end {
		p.bad.Add(ph.at, "the notes lie beyond the file's end")
	}
	// A core may be made of segments that all name the same notes; these are not read again and
	// again.
	if p.notes.read += end - min(ph.offset, end); p.notes.read > size {
		p.bad.Add(ph.at, "more notes than the file has room for")
		return
	}
	for at := ph.offset; at < end && end-at >= head; {
		var h [head]byte
		if _, err := p.file.ReadAt(h[:], int64(at)); err != nil {
			return
		}
		owner := uint64(binary.LittleEndian.Uint32(h[:]))
		length := uint64(binary.LittleEndian.Uint32(h[4:]))
		body := at + head + pad4(owner)
		if body+length > end {
			p.bad.Add(int64(at), "a note is cut short")
			return
		}
		p.readNote(binary.LittleEndian.Uint32(h[8:]), int64(body), length)
		at = body + pad4(length)
	}
}

func pad4(n uint64) uint64 { return (n + 3) &^ 3 }

// readNote reads a note if it is used. It goes by the type's number only, because no other owner
// uses these numbers.
func (p *Process) readNote(kind uint32, at int64, size uint64) {
	switch kind {
	case ntPRStatus, ntPRPSInfo, ntAuxV, ntFile, ntSigInfo, ntARMPACMask:
	default:
		return
	}
	if size > maxNote {
		p.bad.Add(at, "a note of %d bytes is too large", size)
		return
	}
	b := make([]byte, size)
	if _, err := p.file.ReadAt(b, at); err != nil || !p.take(kind, b) {
		p.bad.Add(at, "the note of type 0x%x cannot be read", kind)
	}
}

func (p *Process) take(kind uint32, b []byte) bool {
	switch kind {
	case ntPRStatus:
		t, ok := parseStatus(p.header.arch, p.header.word, b)
		if ok {
			p.threads = append(p.threads, t)
		}
		return ok
	case ntSigInfo:
		return p.takeSignal(b)
	case ntPRPSInfo:
		return p.notes.program.parse(p.header.word, b)
	case ntAuxV:
		return p.notes.parseAux(p.header.word, b)
	case ntFile:
		return p.notes.parseFiles(p.header.word, b)
	}
	return p.notes.parsePACMask(b)
}

// takeSignal reads the siginfo of the thread whose status came last. The kernel writes only the
// first thread's; gcore writes one for each.
func (p *Process) takeSignal(b []byte) bool {
	s, ok := parseSignalInfo(p.header.word, b)
	if n := len(p.threads); ok && n > 0 && p.threads[n-1].signal.number == s.number {
		p.threads[n-1].signal = s
	}
	return ok
}

// parsePACMask decodes a user_pac_mask: { u64 data_mask, u64 insn_mask }.
func (n *notes) parsePACMask(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	n.pacMask = word(b[8:], 8)
	return true
}

// The entries of the auxiliary vector that are used (uapi/linux/auxvec.h).
const (
	auxProgramHeaders = 3
	auxPageSize       = 6
	auxVDSO           = 33
	maxAux            = 64
)

// parseAux decodes the auxiliary vector: pairs of words.
func (n *notes) parseAux(size int, b []byte) bool {
	n.aux = make(map[uint64]uint64)
	for ; len(b) >= 2*size && len(n.aux) < maxAux; b = b[2*size:] {
		n.aux[word(b, size)] = word(b[size:], size)
	}
	return true
}

// programInfo is an elf_prpsinfo.
type programInfo struct {
	pid, parent int
	name        string // its first 15 bytes
}

// parse decodes an elf_prpsinfo: { char state, sname, zomb, nice; a word of flags; uid, gid; i32
// pid, ppid, pgrp, sid; char fname[16], psargs[80] }. uid and gid have 16 bits on 32-bit
// processors.
func (i *programInfo) parse(size int, b []byte) bool {
	pid, name := 24, 40
	if size == 4 {
		pid, name = 12, 28
	}
	if len(b) < name+16 {
		return false
	}
	i.pid = int(int32(binary.LittleEndian.Uint32(b[pid:])))
	i.parent = int(int32(binary.LittleEndian.Uint32(b[pid+4:])))
	i.name = text(b[name : name+16])
	return true
}

// text returns b up to its first zero byte, without unprintable characters.
func text(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b), ""))
}

// mappedFile is an entry of NT_FILE.
type mappedFile struct {
	start, end task.Addr
	offset     uint64 // in the file
	path       string
}

// parseFiles decodes an NT_FILE note: { word count, word page size, then for each file { start,
// end, offset in pages }, then the names one after the other }.
func (n *notes) parseFiles(size int, b []byte) bool {
	if len(b) < 2*size {
		return false
	}
	count, page := word(b, size), word(b[size:], size)
	entries := b[2*size:]
	if count > uint64(len(entries)/(3*size)) {
		return false
	}
	names := entries[count*3*uint64(size):]
	for range count {
		name, rest, ok := bytes.Cut(names, []byte{0})
		if !ok {
			return false
		}
		names = rest
		f := mappedFile{
			start: task.Addr(word(entries, size)), end: task.Addr(word(entries[size:], size)),
			offset: word(entries[2*size:], size) * page, path: text(name),
		}
		if f.start < f.end {
			n.files = append(n.files, f)
		}
		entries = entries[3*size:]
	}
	return true
}
