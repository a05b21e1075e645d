package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// screensFolder has, for each of the broken programs, the first screen from before it named the cause
// (NAME.before, a text, as the version that printed it is not built any more), a recording of the same
// program, and the picture of both.
const screensFolder = "screens"

// broken are programs of scripts/e2e/testdata/screens, and how each is compiled.
var broken = []struct {
	name     string
	compiler []string
}{
	{"orders", []string{"g++", "-O1", "-g", "-pthread"}},
	{"leak", []string{"cc", "-O1", "-g", "-pthread"}},
	{"wakeup", []string{"cc", "-O1", "-g", "-pthread"}},
	{"forked", []string{"cc", "-O1", "-g", "-pthread"}},
	{"contention", []string{"cc", "-O1", "-g", "-pthread"}},
}

// beforeAfter draws the first screen of a broken program as it was, and as it is now.
func beforeAfter(stacksnap, folder, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(folder, name+".before"))
	if err != nil {
		return nil, err
	}
	after, err := shown(stacksnap, filepath.Join(folder, name+".snap"), "$ stacksnap -p "+name+"                  # now")
	if err != nil {
		return nil, err
	}
	return drawSVG(below("$ stacksnap -p "+name+"                  # before", text), after), nil
}

// comparePictures makes the pictures of all broken programs.
func comparePictures(stacksnap, folder string) error {
	for _, b := range broken {
		picture, err := beforeAfter(stacksnap, folder, b.name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, b.name+".svg"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// settled is long enough for each of the broken programs to break.
const settled = 2 * time.Second

// recordBroken makes the recordings of the broken programs anew.
func recordBroken(stacksnap, root, work, folder string) error {
	for _, b := range broken {
		program := filepath.Join(work, b.name)
		sources, err := filepath.Glob(filepath.Join(root, "scripts", "e2e", "testdata", "screens", b.name+".c*"))
		if err != nil {
			return err
		}
		compile := slices.Concat(b.compiler, []string{"-o", program}, sources)
		if err := run(exec.Command(compile[0], compile[1:]...)); err != nil {
			return err
		}
		if err := recordOne(stacksnap, program, filepath.Join(folder, b.name+".snap")); err != nil {
			return err
		}
	}
	return nil
}

// recordOne records a program, or its child if it has one.
func recordOne(stacksnap, program, recording string) error {
	cmd := exec.Command(program)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	time.Sleep(settled)
	pid := strconv.Itoa(cmd.Process.Pid)
	if children, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children"); err == nil {
		pid = cmp.Or(strings.TrimSpace(string(children)), pid)
	}
	return run(exec.Command(stacksnap, "-p", pid, "--save", recording))
}
