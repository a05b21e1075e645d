package live

import (
	"errors"
	"strings"
	"testing"

	"stacksnap/task"
)

var processes = []task.Candidate{
	{PID: 10, Name: "server", Path: "/opt/server"},
	{PID: 11, Name: "server-helper", Path: "/opt/server-helper"},
	{PID: 12, Name: "worker", Path: "/opt/pool/worker"},
	{PID: 13, Name: "worker", Path: "/opt/pool/worker"},
	{PID: 14, Name: "thread-name", Path: "/usr/bin/python3.11"},
	{PID: 15, Name: "stacksnap", Path: "/usr/bin/stacksnap"},
	{PID: 16, Name: "kthreadd"}, // without a path
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		target string
		pid    int
	}{
		{"server", 10}, // exact, though another begins so
		{"server-h", 11},
		{"python3.11", 14}, // by its program
		{"python3", 14},
		{"/opt/server", 10},
	} {
		pid, err := choose(c.target, processes, 15)
		if err != nil || pid != c.pid {
			t.Errorf("choose(%q) = %d, %v; want %d", c.target, pid, err, c.pid)
		}
	}
}

func TestChooseRefusesWhatDoesNotDecide(t *testing.T) {
	_, err := choose("worker", processes, 15)
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || len(ambiguous.Candidates) != 2 {
		t.Fatalf("two workers: %v", err)
	}
	for _, want := range []string{"12", "13", "/opt/pool/worker"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	var none *NoNameError
	for _, target := range []string{"nothing", "stacksnap", "."} {
		if _, err := choose(target, processes, 15); !errors.As(err, &none) {
			t.Errorf("choose(%q): %v, want NoNameError", target, err)
		}
	}
}

func TestManyCandidatesAreCounted(t *testing.T) {
	many := make([]task.Candidate, maxListed+5)
	for i := range many {
		many[i] = task.Candidate{PID: i + 1, Name: "idle"}
	}
	_, err := choose("idle", many, 0)
	if err == nil || !strings.Contains(err.Error(), "and 5 more") {
		t.Errorf("error %v", err)
	}
}
