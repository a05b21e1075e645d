package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"stacksnap/format/apple"
	"stacksnap/task/core"
	"stacksnap/task/files"
	"stacksnap/task/live"
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
	return info.Mode().Perm()&0o111 == 0 || isRecording(target) || isCore(target) || stackshot.Is(target) || apple.Is(target)
}

func isRecording(path string) bool {
	r, err := recording.Open(path)
	if err != nil {
		return errors.Is(err, recording.ErrCutEarly) || !errors.Is(err, recording.ErrNotRecording)
	}
	_ = r.Close() // it was only read
	return true
}

func isCore(path string) bool {
	p, err := core.Open(path)
	if err != nil {
		return !errors.Is(err, core.ErrNotCore)
	}
	_ = p.Close() // it was only read
	return true
}

func isRegular(path string) bool {
	info, err := files.Stat("", path)
	return err == nil && info.Mode().IsRegular()
}

// inFolder is the name of a file in this folder as a shell starts it: one without
// a slash it looks for elsewhere.
func inFolder(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	return "." + string(filepath.Separator) + name
}

// findTarget turns the command line's target into a pid.
func (c *call) findTarget(ctx context.Context) (int, error) {
	pid, err := c.find(ctx)
	return c.decide(ctx, c.target, pid, err)
}

// decide checks the pid that was found for a target, and has a person choose where
// there are several.
func (c *call) decide(ctx context.Context, target string, pid int, err error) (int, error) {
	var ambiguous *live.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return c.choose(ctx, ambiguous)
	case err != nil:
		return 0, err
	case pid <= 0:
		return 0, usageError{fmt.Errorf("%s is not a pid", target)}
	case pid == os.Getpid():
		return 0, usageError{errors.New("stacksnap cannot stop and read itself: give another pid")}
	}
	return pid, nil
}

func (c *call) find(ctx context.Context) (int, error) {
	self := os.Getpid()
	if c.wait == "" {
		return findNow(c.target, self)
	}
	pid, err := live.Wait(ctx, c.wait, self)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the waiting was ended: %w", &live.NoNameError{Name: c.wait})
	}
	return pid, err
}

// findNow finds a process by pid, name or program, or says what the target is
// instead.
func findNow(target string, self int) (int, error) {
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
	if !strings.ContainsRune(target, filepath.Separator) || !isRegular(target) {
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
		return fmt.Sprintf("%q is a script, which runs as a process of its interpreter: give its pid, or start it with -- %s", target, shellWord(inFolder(target)))
	case err == nil && info.Mode().IsRegular():
		return fmt.Sprintf("%q is a program that does not run: start it with -- %s", target, shellWord(inFolder(target)))
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
