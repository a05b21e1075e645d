//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"stacksnap/task/live"
)

// tree measures one snapshot of a process with its descendants, beside one of each of
// them in turn by stacksnap and by eu-stack.
func tree(runs, pid int) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stacksnap := filepath.Join(dir, "stacksnap")
	if err := build(stacksnap); err != nil {
		return err
	}
	below, err := new(live.Kin).Descendants(pid)
	if err != nil {
		return err
	}
	pids := append([]int{pid}, below...)
	tools := []struct {
		name  string
		tool  []string
		whole bool // it is called once
	}{
		{"stacksnap --tree", []string{stacksnap, "--tree", "-p"}, true},
		{"stacksnap in a loop", []string{stacksnap, "-p"}, false},
		{"eu-stack in a loop", []string{"eu-stack", "-n", "0", "-p"}, false},
	}
	walls := make([][]time.Duration, len(tools))
	for range runs { // in turn, so that what else the machine does meets all of them
		for i, t := range tools {
			of := pids
			if t.whole {
				of = pids[:1]
			}
			if _, err := exec.LookPath(t.tool[0]); err != nil {
				continue
			}
			begin := time.Now()
			if err := each(t.tool, of); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			walls[i] = append(walls[i], time.Since(begin))
		}
	}
	fmt.Printf("%-10s %-22s %12s %12s\n", "processes", "tool", "wall min", "median")
	for i, t := range tools {
		fmt.Printf("%-10d %-22s %12s %12s\n", len(pids), t.name, text(walls[i], 0), text(walls[i], len(walls[i])/2))
	}
	return nil
}

// each runs a tool on one process after another.
func each(tool []string, pids []int) error {
	for _, pid := range pids {
		cmd := exec.Command(tool[0], append(tool[1:len(tool):len(tool)], strconv.Itoa(pid))...)
		cmd.Stdout = io.Discard
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}
