// Package live opens running processes on whatever system this is: a Mach task
// on macOS, ptrace on Linux.
package live

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"stacksnap/task"
)

// AmbiguousError lists the processes that a name may refer to.
type AmbiguousError struct {
	Name       string
	Candidates []task.Candidate
}

// maxListed is how many candidates an AmbiguousError shows.
const maxListed = 20

func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processes are named %q; choose one by -p PID:", len(e.Candidates), e.Name)
	for i, c := range e.Candidates {
		if i == maxListed {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Candidates)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %7d  %s  %q", c.PID, strings.Trim(strconv.Quote(c.Name), `"`), c.Path)
	}
	return b.String()
}

// NoNameError says that no process has the requested name.
type NoNameError struct {
	Name string
	Else string // what else has that name; may be empty
}

func (e *NoNameError) Error() string {
	if e.Else != "" {
		return e.Else
	}
	return fmt.Sprintf("no process named %q", e.Name)
}

// Find returns the pid of the process that target names: by its number, its name, or the path of
// its program. It never finds self by name. The error is an *[AmbiguousError] or a
// *[NoNameError] if the name is the problem.
func Find(target string, self int) (int, error) {
	if pid, err := strconv.Atoi(target); err == nil {
		return pid, nil
	}
	all, err := list()
	if err != nil {
		return 0, fmt.Errorf("look for %q: %w", target, err)
	}
	return choose(target, all, self)
}

// All lists the processes that can be captured.
func All() ([]task.Candidate, error) { return list() }

// Runs reports whether a process with that pid exists.
func Runs(pid int) bool {
	if pid <= 0 || pid > math.MaxInt32 {
		return false
	}
	_, ok := candidate(pid)
	return ok
}

// Name returns the name of a process; empty if there is no process of that pid.
func Name(pid int) string {
	c, _ := candidate(pid)
	return c.Name
}

// Named lists the processes whose name, program or path equals target or, if there are none,
// begins with it. A number is a pid. self is not included. The error is a *[NoNameError] if
// there are none.
func Named(target string, self int) ([]int, error) {
	pid, err := Find(target, self)
	var several *AmbiguousError
	switch {
	case errors.As(err, &several):
		pids := make([]int, len(several.Candidates))
		for i, c := range several.Candidates {
			pids[i] = c.PID
		}
		return pids, nil
	case err != nil:
		return nil, err
	}
	return []int{pid}, nil
}

// choose picks the one candidate whose name, program or path is the target.
func choose(target string, all []task.Candidate, self int) (int, error) {
	found := Matching(target, slices.DeleteFunc(slices.Clone(all), func(c task.Candidate) bool { return c.PID == self }))
	switch len(found) {
	case 0:
		return 0, &NoNameError{Name: target}
	case 1:
		return found[0].PID, nil
	}
	return 0, &AmbiguousError{target, found}
}

// Matching returns the candidates whose name, program or path equals target. If there are
// none, it returns those whose name or program begins with it.
func Matching(target string, all []task.Candidate) []task.Candidate {
	var exact, begins []task.Candidate
	for _, c := range all {
		switch {
		case isNamed(c, target):
			exact = append(exact, c)
		case strings.HasPrefix(c.Name, target), strings.HasPrefix(program(c), target):
			begins = append(begins, c)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return begins
}

// isNamed reports whether the target is exactly the process's name, program or
// path.
func isNamed(c task.Candidate, target string) bool {
	return c.Name == target || c.Path == target || program(c) == target
}

// program returns the last part of a process's path; empty if that is not known.
func program(c task.Candidate) string {
	if c.Path == "" {
		return ""
	}
	return path.Base(c.Path)
}

// PIDs lists the pids of all processes, including those that cannot be captured.
func PIDs() ([]int, error) { return pids() }
