// Package pick finds the process that is meant, by pid, name or program, and has a person
// choose where there are several.
package pick

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/task/files"
	"stacksnap/task/live"
)

// Find finds a process by pid, name or program, or says what the target is
// instead.
func Find(target string, self int) (int, error) {
	pid, err := live.Find(target, self)
	var missing *live.NoNameError
	if !errors.As(err, &missing) {
		return pid, err
	}
	if path := programPath(target); path != "" {
		found, pathErr := live.Find(path, self)
		if !errors.As(pathErr, new(*live.NoNameError)) {
			return found, pathErr
		}
	}
	missing.Else = missingTarget(target)
	return 0, err
}

// programPath is the path by which the system knows a program that was named by
// another; empty where the target is none.
func programPath(target string) string {
	if !strings.ContainsRune(target, filepath.Separator) || !cli.IsRegular(target) {
		return ""
	}
	path, err := filepath.Abs(target)
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	return path
}

// missingTarget says what a target is that is no process and was not taken for a
// file, or, of one that is nothing, that it is no file either where it looks like
// one; empty where there is nothing to add to "no process of that name".
func missingTarget(target string) string {
	info, err := files.Stat("", target)
	switch {
	case err == nil && info.IsDir():
		return fmt.Sprintf("%q is a folder: give a core, a recording or a report in it, or a process", target)
	case err == nil && info.Mode().IsRegular() && isScript(target):
		return fmt.Sprintf("%q is a script, which runs as a process of its interpreter: give its pid, or start it with -- %s", target, cli.ShellWord(cli.InFolder(target)))
	case err == nil && info.Mode().IsRegular():
		return fmt.Sprintf("%q is a program that does not run: start it with -- %s", target, cli.ShellWord(cli.InFolder(target)))
	case err == nil:
		return fmt.Sprintf("%q is neither a process nor a regular file", target)
	case looksLikeFile(target):
		return fmt.Sprintf("no process and no file named %q", target)
	}
	return ""
}

// looksLikeFile reports whether a target that is nothing was probably meant as a
// file.
func looksLikeFile(target string) bool { return target == "core" || strings.ContainsAny(target, "/.*") }

// isScript reports whether a file begins as one for an interpreter does.
func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var first [2]byte
	_, err = io.ReadFull(f, first[:])
	return err == nil && string(first[:]) == "#!"
}
