// Package files opens files that a target names, for reading: its program, its
// libraries, what lies beside them. A target chooses such names and what they are on,
// and a file system that asks a server, or another process, may not answer: what looks
// up a name there waits for ever, and on Linux nothing ends that, not even SIGKILL. So a
// name is looked up on such a mount only after a process of our own, which can be
// abandoned, has had an answer from it.
package files

import (
	"fmt"
	"io/fs"
	"os"
)

// SilentError says that a name lies on a mount that does not answer.
type SilentError struct {
	Path string // of the file
	Type string // of the file system, such as "nfs4"
	At   string // where it is mounted
}

func (e *SilentError) Error() string {
	return fmt.Sprintf("%s: the file system (%s) at %s does not answer", e.Path, e.Type, e.At)
}

// Open opens a regular file below a folder: the root of a running process,
// "/proc/PID/root", out of which no link leads then, or another; without one the name is
// this program's own. It never waits for another program; the error may be a
// *[SilentError].
func Open(root, name string) (*os.File, fs.FileInfo, error) { return open(root, name) }

// Stat tells what a file below a folder is, as [Open] finds it.
func Stat(root, name string) (fs.FileInfo, error) { return stat(root, name) }
