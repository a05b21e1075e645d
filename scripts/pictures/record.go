package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// recordShop builds the program in shop/, starts it, and makes a recording of one
// snapshot and one of four seconds. Both have the folder of the program in them, which
// is always the same.
func recordShop(stacksnap, here string) error {
	work := filepath.Join(os.TempDir(), "shop")
	if err := os.Mkdir(work, 0o755); err != nil {
		return err
	}
	defer os.RemoveAll(work)
	shop := filepath.Join(work, "shop")
	if err := run(exec.Command("cc", "-O1", "-g", "-fno-optimize-sibling-calls", "-pthread", "-o", shop, filepath.Join(here, "shop", "shop.c"))); err != nil {
		return err
	}
	cmd := exec.Command("./shop")
	cmd.Dir = work
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Wait() }()
	defer stdin.Close() // ends it
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return fmt.Errorf("the program did not start: %w", err)
	}
	pid := strconv.Itoa(cmd.Process.Pid)
	if err := run(exec.Command(stacksnap, "-p", pid, "--save", filepath.Join(here, snapshotFile))); err != nil {
		return err
	}
	return run(exec.Command(stacksnap, "-p", pid, "-d", "4s", "-i", "5ms", "--save", filepath.Join(here, samplesFile)))
}
