package macho

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"stacksnap/images/object"
)

// Archives of object files, <ar.h>: a line, and then members, each after a text
// header. The formats differ in where names of more than 16 bytes are: at the start
// of the member (BSD and Apple), or in a member of their own (System V and GNU).
const (
	archiveMagic  = "!<arch>\n"
	memberHeader  = 60
	memberEnd     = "`\n"
	maxMemberName = 4 << 10
	longNames     = "//"
)

var errArchive = errors.New("it is a damaged archive")

// member is an object file in an archive.
type member struct {
	offset, size int64
	modified     uint64 // in seconds since 1970
}

// isArchive reports whether a file starts like an archive.
func isArchive(r io.ReaderAt) bool {
	var b [len(archiveMagic)]byte
	n, _ := r.ReadAt(b[:], 0)
	return string(b[:n]) == archiveMagic
}

// archive has the members of an archive by name. Several may have the same name.
type archive map[string][]member

// memberBytes is the cost of a member beside its name, for the budget.
const memberBytes = 64

// readArchive lists the members of an archive of size bytes.
func readArchive(r io.ReaderAt, size int64, cost *cost) (archive, error) {
	list := archive{}
	var long []byte // names that are too long for a header
	for at := int64(len(archiveMagic)); at+memberHeader <= size; {
		m, short, err := readMember(r, at, size)
		if err != nil {
			return nil, err
		}
		at = m.offset + m.size + m.size&1
		if short == longNames {
			if long, err = readLongNames(r, m, cost); err != nil {
				return nil, err
			}
			continue
		}
		name, err := m.name(r, short, long)
		if err != nil {
			return nil, err
		}
		if !cost.take(memberHeader) || !cost.keep(uint64(memberBytes+len(name))) {
			return nil, object.ErrBudget
		}
		list[name] = append(list[name], m)
	}
	return list, nil
}

// readMember reads the header at an offset: name (16 bytes), date (12), uid (6), gid
// (6), mode (8), size (10), and two bytes that end it.
func readMember(r io.ReaderAt, at, size int64) (m member, short string, err error) {
	var b [memberHeader]byte
	if n, err := r.ReadAt(b[:], at); n < len(b) {
		return m, "", err
	}
	if string(b[58:]) != memberEnd {
		return m, "", errArchive
	}
	number := func(field []byte) uint64 {
		var v uint64
		text := string(bytes.TrimSpace(field))
		if text != "" && err == nil {
			v, err = strconv.ParseUint(text, 10, 63)
		}
		return v
	}
	m.modified = number(b[16:28])
	m.offset, m.size = at+memberHeader, int64(number(b[48:58]))
	if err != nil || m.size > size-m.offset {
		return m, "", errArchive
	}
	return m, strings.TrimRight(string(b[:16]), " "), nil
}

// name resolves the name in a member's header. If the name is at the start of the
// member, it is cut off from the member's contents.
func (m *member) name(r io.ReaderAt, short string, long []byte) (string, error) {
	if digits, ok := strings.CutPrefix(short, "#1/"); ok {
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || n > maxMemberName || int64(n) > m.size {
			return "", errArchive
		}
		b := make([]byte, n)
		if got, err := r.ReadAt(b, m.offset); got < len(b) {
			return "", err
		}
		m.offset, m.size = m.offset+int64(n), m.size-int64(n)
		return cString(b), nil
	}
	if digits, ok := strings.CutPrefix(short, "/"); ok && digits != "" {
		at, err := strconv.ParseUint(digits, 10, 31)
		if err != nil { // "/SYM64/": a symbol table
			return short, nil
		}
		if at >= uint64(len(long)) {
			return "", errArchive
		}
		name, _, _ := strings.Cut(string(long[at:min(at+maxMemberName, uint64(len(long)))]), "\n")
		return strings.TrimSuffix(name, "/"), nil
	}
	return strings.TrimSuffix(short, "/"), nil
}

// maxLongNames is the maximum size of the member with long names, in bytes.
const maxLongNames = 16 << 20

func readLongNames(r io.ReaderAt, m member, cost *cost) ([]byte, error) {
	if m.size > maxLongNames || !cost.take(uint64(m.size)) {
		return nil, errArchive
	}
	b := make([]byte, m.size)
	if n, err := r.ReadAt(b, m.offset); n < len(b) {
		return nil, err
	}
	return b, nil
}
