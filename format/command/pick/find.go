// Package pick finds the target process by pid, name or program, and lets the user choose
// if there are several.
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

// Find returns the pid for a target: a pid, a name or a program. If there is none, the
// error says what the target is instead. self is our own pid, which is left out.
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

// programPath returns the absolute path, without symbolic links, of a program's file; empty
// if the target is no file.
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

// missingTarget describes a target that is no process: a directory, a script, a program
// that does not run, or a missing file. It is empty if there is nothing to add to "no
// process of that name".
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

// looksLikeFile reports whether a target that does not exist was probably meant as a file.
func looksLikeFile(target string) bool { return target == "core" || strings.ContainsAny(target, "/.*") }

// isScript reports whether a file begins with "#!".
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
