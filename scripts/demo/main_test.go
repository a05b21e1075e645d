package main

import (
	"os/exec"
	"regexp"
	"testing"

	"stacksnap/task/needs"
)

// TestDemo runs the demo as README says, and wants of it what it is for.
func TestDemo(t *testing.T) {
	needs.OS(t, "linux")
	needs.Tool(t, "cc")
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{
		`(?m)^Deadlock: +2 threads wait for each other(\n  thread \d+ .*  waits for mutex (accounts|journal) +held by thread \d+.*(\n      in .*)?){2}`,
		`(?m)^ *(collatz|busy) \+ \d+ \(demo-target\)`,
		`(?m)^  (waits|has waited at least \d+ s) in read: fd \d+ pipe:`,
	} {
		if !regexp.MustCompile(line).Match(out) {
			t.Errorf("no line like %s in\n%s", line, out)
		}
	}
}
