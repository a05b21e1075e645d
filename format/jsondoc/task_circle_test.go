package jsondoc

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestTasksOfAsyncio: coroutines, which have no address, and circles are read as they were
// written.
func TestTasksOfAsyncio(t *testing.T) {
	im := &profile.Image{Path: "CPython 3.12.1", Runtime: true, Symbols: true}
	one := &profile.Node{Location: profile.Location{Function: "one", Raw: "one", Image: im, File: "/srv/aio.py", Line: 4}, Count: 1, Self: 1}
	p := &profile.Profile{
		Snapshots: 1, Images: []*profile.Image{im},
		Tasks: []*profile.Task{{Runtime: im.Path, ID: 9, Name: "Task-2", Wait: "Task-2 (one)", Count: 1, Path: []*profile.Node{one}}},
		TaskDeadlocks: []profile.TaskDeadlock{
			{Runtime: im.Path, Tasks: []profile.TaskInDeadlock{{ID: 9, Name: "Task-2", Function: "one"}}},
		},
	}
	var b bytes.Buffer
	if err := Write(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{`"address":`, `"by":`} {
		if strings.Contains(b.String(), made) {
			t.Errorf("%s in\n%s", made, &b)
		}
	}
	read, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.TaskDeadlocks, read.TaskDeadlocks); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(p.Tasks, read.Tasks, cmpopts.IgnoreUnexported(profile.Node{}), cmpopts.IgnoreFields(profile.Node{}, "By")); d != "" {
		t.Error(d)
	}
}
