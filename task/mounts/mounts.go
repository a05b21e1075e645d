// Package mounts reads the mounts of a process, /proc/PID/mountinfo (proc(5)), and
// finds the mount that a path is on. It goes by the path alone, because the file
// system itself may not respond.
package mounts

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Mount is one line of mountinfo.
type Mount struct {
	ID, Parent int
	Device     string // "MAJOR:MINOR", of the file system
	Point      string // path of the mount point, below the root of the process
	Type       string // of the file system, such as "fuse.sshfs"
	Options    string // of the file system
}

// Table is the mounts of a process, in the order in which they were made. Mounts
// outside the process's root are missing.
type Table []Mount

// Parse parses mountinfo. It skips lines that it does not understand.
func Parse(text []byte) (t Table) {
	for line := range bytes.Lines(text) {
		if m, ok := parseLine(string(bytes.TrimSuffix(line, []byte("\n")))); ok {
			t = append(t, m)
		}
	}
	return t
}

// parseLine parses
//
//	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
func parseLine(line string) (m Mount, ok bool) {
	own, system, _ := strings.Cut(line, " - ")
	f, s := strings.Split(own, " "), strings.Split(system, " ")
	if len(f) < 6 || len(s) < 3 {
		return m, false
	}
	id, errID := strconv.Atoi(f[0])
	parent, errParent := strconv.Atoi(f[1])
	m = Mount{ID: id, Parent: parent, Device: f[2], Point: unescape(f[4]), Type: unescape(s[0]), Options: unescape(s[2])}
	return m, errID == nil && errParent == nil && path.IsAbs(m.Point)
}

// unescape decodes \ooo, by which the kernel escapes separators.
func unescape(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = after
		if v, err := strconv.ParseUint(after[:min(3, len(after))], 8, 8); err == nil && len(after) >= 3 {
			b.WriteByte(byte(v))
			s = after[3:]
		} else {
			b.WriteByte('\\')
		}
	}
}

// Find returns the mount that an absolute path without links is on. It goes from each
// mount to those on top of it, as a look-up does, so it does not find one that
// another covers. It reports false if the root is not a mount in the table.
func (t Table) Find(name string) (m Mount, ok bool) {
	for m = range t.Way(name) {
		ok = true
	}
	return m, ok
}

// Way yields the mounts that a look-up of a path passes, from that of the root to
// that of the path.
func (t Table) Way(name string) iter.Seq[Mount] {
	return func(yield func(Mount) bool) {
		at, ok := t.root()
		for range t { // a malformed table may have a cycle
			if !ok || !yield(at) {
				return
			}
			at, ok = t.next(at, path.Clean(name))
		}
	}
}

// root returns the mount at the root, the lowest if there are several.
func (t Table) root() (Mount, bool) {
	i := slices.IndexFunc(t, func(m Mount) bool {
		return m.Point == "/" && !slices.ContainsFunc(t, func(p Mount) bool { return p.ID == m.Parent && p.ID != m.ID })
	})
	if i < 0 {
		return Mount{}, false
	}
	return t[i], true
}

// next returns the mount on top of another that a look-up meets first.
func (t Table) next(on Mount, name string) (next Mount, ok bool) {
	for _, m := range t {
		if m.Parent == on.ID && m.ID != on.ID && isBelow(name, m.Point) && (!ok || len(m.Point) <= len(next.Point)) {
			next, ok = m, true
		}
	}
	return next, ok
}

// isBelow reports whether a path is that of a directory, or below it.
func isBelow(name, folder string) bool {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}
