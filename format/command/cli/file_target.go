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

// isFile reports whether a target is a file to open (a core, a recording, a stackshot or a
// report) rather than a pid, a name or a program. A program is executable; other files are
// mostly not, so that only executable ones are examined.
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

// IsCore reports whether a file is a core file, even a damaged one.
func IsCore(path string) bool {
	p, err := core.Open(path)
	if err != nil {
		return !errors.Is(err, core.ErrNotCore)
	}
	_ = p.Close() // it was only read
	return true
}

// IsRegular reports whether path is a regular file.
func IsRegular(path string) bool {
	info, err := files.Stat("", path)
	return err == nil && info.Mode().IsRegular()
}

// InFolder returns a file name as a shell needs it to run the file: a name without a slash
// gets a leading "./".
func InFolder(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	return "." + string(filepath.Separator) + name
}
