// Package files opens files that a target names, for reading: its program, its
// libraries, and the files beside them. The target chooses these names and the file
// systems that they are on. A file system that is backed by a server or another
// process may not respond, and a look-up there blocks for ever; on Linux not even
// SIGKILL ends it. So before a name is looked up on such a mount, a child process,
// which can be abandoned, checks that the mount responds.
package files

import (
	"fmt"
	"io/fs"
	"os"
)

// SilentError means that a name is on a mount that does not respond.
type SilentError struct {
	Path string // of the file
	Type string // of the file system, such as "nfs4"
	At   string // its mount point
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("%s: the file system (%s) at %s does not answer", e.Path, e.Type, e.At)
}

// Open opens a regular file below a directory: the root of a running process,
// "/proc/PID/root", which links then cannot leave, or another one. Without a
// directory, the name is this program's own. It never blocks on another program; the
// error may be a *[SilentError].
func Open(root, name string) (*os.File, fs.FileInfo, error) { return open(root, name) }

// Stat describes a file below a directory, found as by [Open].
func Stat(root, name string) (fs.FileInfo, error) { return stat(root, name) }
