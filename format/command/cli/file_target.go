package cli

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"stacksnap/format/apple"
	"stacksnap/task/core"
	"stacksnap/task/files"
	"stacksnap/task/recording"
	"stacksnap/task/stackshot"
)

// isFile reports whether a target is a core, a recording, a stackshot or a report rather than a pid,
// a name or a program: those may be executed, and files of us and of the kernel may not,
// unless the file system says so of all that it has.
func isFile(target string) bool {
	if _, err := strconv.Atoi(target); err == nil {
		return false
	}
	info, err := files.Stat("", target)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return info.Mode().Perm()&0o111 == 0 || isRecording(target) || IsCore(target) || stackshot.Is(target) || apple.Is(target)
}

func isRecording(path string) bool {
	r, err := recording.Open(path)
	if err != nil {
		return errors.Is(err, recording.ErrCutEarly) || !errors.Is(err, recording.ErrNotRecording)
	}
	_ = r.Close() // it was only read
	return true
}

// IsCore reports whether a file is a core.
func IsCore(path string) bool {
	p, err := core.Open(path)
	if err != nil {
		return !errors.Is(err, core.ErrNotCore)
	}
	_ = p.Close() // it was only read
	return true
}

// IsRegular reports whether there is a regular file of that name.
func IsRegular(path string) bool {
	info, err := files.Stat("", path)
	return err == nil && info.Mode().IsRegular()
}

// InFolder is the name of a file in this folder as a shell starts it: one without
// a slash it looks for elsewhere.
func InFolder(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	return "." + string(filepath.Separator) + name
}
