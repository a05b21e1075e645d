package elf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"path"
)

// debugDir is where distributions install separate debug files.
const debugDir = "/usr/lib/debug"

// maxDebugLink is the maximum size of .gnu_debuglink in bytes: a file name and a
// checksum.
const maxDebugLink = 8 << 10

// debugPaths returns where a separate debug file may be (GDB manual, "Debugging
// Information in Separate Files"): by build-id, and by the name in .gnu_debuglink
// with the checksum of that file.
func debugPaths(f *File, filePath string) (byID string, byName []string, sum uint32) {
	if id := f.ids.gnu; len(id) > 1 {
		byID = fmt.Sprintf("%s/.build-id/%x/%x.debug", debugDir, id[:1], id[1:])
	}
	s := f.elf.Section(".gnu_debuglink")
	if s == nil || s.FileSize > maxDebugLink {
		return byID, nil, 0
	}
	b, err := f.data(s)
	end := bytes.IndexByte(b, 0)
	at := int(padded(uint64(end+1), 4))
	if err != nil || end <= 0 || at+4 > len(b) || bytes.IndexByte(b[:end], '/') >= 0 {
		return byID, nil, 0
	}
	name, dir := string(b[:end]), path.Dir(filePath)
	byName = []string{
		path.Join(dir, name), path.Join(dir, ".debug", name), path.Join(debugDir, dir, name),
	}
	return byID, byName, binary.LittleEndian.Uint32(b[at:])
}

// findDebug opens the separate debug file of f, and returns nil if there is none.
// filePath is f's path in the target. The build-id must match, or the checksum if one
// of the files has no build-id.
func (l *Loader) findDebug(f *File, filePath string) *File {
	byID, byName, sum := debugPaths(f, filePath)
	if byID != "" {
		byName = append([]string{byID}, byName...)
	}
	for _, name := range byName {
		for c := range l.underRoots(name, ignore) {
			d, err := NewFile(c.file, c.size)
			if err == nil && l.isDebugOf(d, c, f, name != byID, sum) {
				d.budget, d.name, d.leftOut = l.Budget, f.name, f.leftOut
				l.relate(d, name, filePath)
				return d
			}
			_ = c.file.Close() // read-only
		}
	}
	return nil
}

// maxSummed is the maximum size of a file to checksum, in bytes. Larger files, such
// as browsers', have build-ids.
const maxSummed = 1 << 29

// isDebugOf reports whether d, read from c, is the debug file of f. sum is valid if
// linked.
func (l *Loader) isDebugOf(d *File, c candidate, f *File, linked bool, sum uint32) bool {
	if f.ids.gnu != nil && (d.ids.gnu != nil || !linked) {
		return bytes.Equal(f.ids.gnu, d.ids.gnu)
	}
	if c.size > maxSummed || !l.Budget.Read(uint64(c.size)) {
		return false
	}
	h := crc32.NewIEEE()
	_, err := io.Copy(h, io.NewSectionReader(c.file, 0, c.size))
	return err == nil && h.Sum32() == sum
}
