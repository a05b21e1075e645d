// Command demo does stacksnap's main job with all its set-up: it builds
// stacksnap (on macOS it signs it), builds and starts a small program with busy,
// blocked and deadlocked threads, and prints a snapshot of it. The program is in
// C, for mutexes that have an owner, so that the snapshot tells of the deadlock;
// without a C compiler it is one in Go that locks files, of which nobody can tell
// which thread has them.
//
//	go run ./scripts/demo
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	if err := demo(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func demo() error {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	build := filepath.Join(root, "build")
	stacksnap, target := filepath.Join(build, "stacksnap"), filepath.Join(build, "demo-target")
	if runtime.GOOS != "darwin" { // where nothing of ours needs cgo
		os.Setenv("CGO_ENABLED", "0")
	}
	steps := [][]string{
		{"go", "build", "-C", root, "-o", stacksnap, "."},
		buildTarget(root, target),
	}
	if runtime.GOOS == "darwin" {
		steps = append(steps, []string{filepath.Join(root, "scripts", "sign.sh"), stacksnap})
	}
	for _, s := range steps {
		if err := show(s...); err != nil {
			return err
		}
	}
	return snapshot(stacksnap, target)
}

// buildTarget is the command that builds the program to look at.
func buildTarget(root, target string) []string {
	if _, err := exec.LookPath("cc"); err != nil {
		fmt.Println("There is no C compiler (cc): the locks of this demo are files, and no deadlock is seen.")
		return []string{"go", "build", "-C", root, "-o", target, "./scripts/demo/target"}
	}
	source := filepath.Join(root, "scripts", "demo", "deadlock", "deadlock.c")
	return []string{"cc", "-O1", "-g", "-fno-omit-frame-pointer", "-pthread", "-o", target, source}
}

// snapshot starts the target, waits until it is ready, and shows its stacks.
func snapshot(stacksnap, target string) error {
	cmd := exec.Command(target)
	cmd.Stderr = os.Stderr
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
	defer stdin.Close() // ends the target
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		return fmt.Errorf("the target did not start: %w", err)
	}
	return show(stacksnap, "-p", strconv.Itoa(cmd.Process.Pid))
}

// show prints a command and runs it.
func show(args ...string) error {
	fmt.Println("$", strings.Join(args, " "))
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func output(args ...string) (string, error) {
	out, err := exec.Command(args[0], args[1:]...).Output()
	return strings.TrimSpace(string(out)), err
}
