package mounts

import (
	"slices"
	"strings"
)

// remote are the types of file systems that are backed by a server or a process,
// which may not respond, beside those that start with fuse.
var remote = []string{
	"9p", "afs", "autofs", "beegfs", "ceph", "cifs", "coda", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
	"orangefs", "panfs", "prl_fs", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "wekafs",
}

// IsRemote reports whether a mount's file system may not respond. For an overlay that
// depends on its layers, which are not checked.
func (m Mount) IsRemote() bool {
	return strings.HasPrefix(m.Type, "fuse") && m.Type != "fusectl" || slices.Contains(remote, m.Type)
}

// HasRemote reports whether IsRemote is true for any mount.
func (t Table) HasRemote() bool { return slices.ContainsFunc(t, Mount.IsRemote) }

// Layers returns the directories of an overlay's layers, as seen by whoever mounted
// it (Documentation/filesystems/overlayfs.rst).
func (m Mount) Layers() (directories []string) {
	if m.Type != "overlay" {
		return nil
	}
	for _, o := range split(m.Options, ',') {
		name, value, _ := strings.Cut(o, "=")
		switch name {
		case "lowerdir", "lowerdir+", "datadir+":
			for _, folder := range split(value, ':') {
				if folder != "" { // data-only layers follow a double separator
					directories = append(directories, plain(folder))
				}
			}
		case "upperdir", "workdir":
			directories = append(directories, plain(value))
		}
	}
	return directories
}

// split splits at a separator that is not escaped by a backslash.
func split(s string, separator byte) (parts []string) {
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case separator:
			parts = append(parts, s[from:i])
			from = i + 1
		}
	}
	return append(parts, s[from:])
}

// plain removes escaping backslashes.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
