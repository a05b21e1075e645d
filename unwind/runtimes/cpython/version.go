package cpython

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// version is PY_VERSION_HEX: major, minor, micro, level and serial. Level and serial
// are 0 where only the minor version is known, from a file's name.
type version uint32

// Levels of a release. Layouts change until the candidates.
const (
	candidate = 0xc
	final     = 0xf
)

func (v version) major() int { return int(v >> 24) }
func (v version) minor() int { return int(v >> 16 & 0xff) }
func (v version) level() int { return int(v >> 4 & 0xf) }

// String returns "3.12.1", "3.14.0rc2", or "3.9" where only that is known.
func (v version) String() string {
	minor := fmt.Sprintf("%d.%d", v.major(), v.minor())
	if v.level() == 0 {
		return minor
	}
	s := fmt.Sprintf("%s.%d", minor, v>>8&0xff)
	level := map[int]string{0xa: "a", 0xb: "b", candidate: "rc"}[v.level()]
	if level == "" {
		return s
	}
	return s + level + strconv.Itoa(int(v&0xf))
}

var (
	errLayout  = errors.New("its layout is not known")
	errVersion = errors.New("its version is not known")
	errEarly   = errors.New("the layout of versions before a release candidate is not known")
)

// check returns an error if the layout of the version is not known.
func (v version) check() error {
	level := v.level()
	switch {
	case v.major() != 3:
		return errLayout
	case level != 0 && level != candidate && level != final:
		return errEarly
	}
	return nil
}

// findVersion returns the version of an image with a runtime's state at a: by the table
// of offsets, by Py_Version, or by the file's name. It reports whether there is a table.
func findVersion(im *images.Image, m task.Memory, a task.Addr) (v version, hasTable bool, err error) {
	var head [16]byte
	if err := task.ReadFull(m, head[:], a); err != nil {
		return 0, false, err
	}
	if string(head[:8]) == cookie {
		return version(binary.LittleEndian.Uint64(head[8:])), true, nil
	}
	if v, ok := symbolVersion(im, m); ok {
		return v, false, nil
	}
	if v, ok := nameVersion(im.Name()); ok {
		return v, false, nil
	}
	return 0, false, errVersion
}

// symbolVersion reads Py_Version, which 3.11 and later have.
func symbolVersion(im *images.Image, m task.Memory) (version, bool) {
	f, ok := im.File.(object.DataFinder)
	if !ok {
		return 0, false
	}
	at, ok := f.Exported("Py_Version")
	if !ok {
		return 0, false
	}
	var b [4]byte
	if task.ReadFull(m, b[:], im.Addr(at)) != nil {
		return 0, false
	}
	v := version(binary.LittleEndian.Uint32(b[:]))
	return v, v.major() == 3
}

// nameVersion returns the minor version in names such as "python3.11" and
// "libpython3.11.so.1.0".
func nameVersion(name string) (version, bool) {
	_, rest, ok := strings.Cut(path.Base(name), "python3.")
	if !ok {
		return 0, false
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	minor, err := strconv.ParseUint(digits, 10, 8)
	if err != nil {
		return 0, false
	}
	return version(3<<24 | minor<<16), true
}
