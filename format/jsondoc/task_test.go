package jsondoc

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestTasks: tasks are read as they were written.
func TestTasks(t *testing.T) {
	im := &profile.Image{Path: "/srv/worker", Load: 0x1000, End: 0x2000, Main: true}
	inner := &profile.Node{Location: profile.Location{Function: "runtime.gopark", Raw: "runtime.gopark", Image: im, Offset: 8}, PC: 0x1108, Return: true, Count: 5000, Self: 5000}
	outer := &profile.Node{Location: profile.Location{Function: "main.worker", Raw: "main.worker", Image: im, Offset: 4, File: "worker.go", Line: 31}, PC: 0x1204, Return: true, Count: 5000, Children: []*profile.Node{inner}}
	p := &profile.Profile{Snapshots: 1, Images: []*profile.Image{im}, Main: im, Tasks: []*profile.Task{
		{
			Runtime: "Go 1.26.1", ID: 7, Wait: "chan receive", Since: time.Minute, Count: 5000, Objects: 1, Path: []*profile.Node{outer, inner},
			Created: &profile.Location{Function: "main.start", Raw: "main.start", File: "worker.go", Line: 44, Image: im},
			On:      &profile.TaskObject{Kind: "chan", Addr: 0xc000123450, Len: 1, Cap: 2, Receivers: 5000, Waiters: 5000},
		},
		{Runtime: "Go 1.26.1", ID: 2, Name: "helper", Wait: "force gc (idle)", System: true, Count: 1},
	}}
	var b bytes.Buffer
	if err := Write(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	read, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.Tasks, read.Tasks, cmpopts.IgnoreUnexported(profile.Node{})); d != "" {
		t.Error(d)
	}
	for what, text := range map[string]string{
		"no count":     `{"runtime": "Go 1.26.1", "id": 1, "count": 0, "nodes": []}`,
		"not a chain":  `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "nodes": [{"depth": 0, "parent": 0, "count": 1, "self": 1}]}`,
		"before 1970":  `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "waits_ns": -1, "nodes": []}`,
		"of no image":  `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "created": {"function": "f", "image": -1}, "nodes": []}`,
		"objects":      `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "objects": 2, "nodes": []}`,
		"address":      `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "waits_for": {"kind": "chan", "address": "x", "waiters": 1}, "nodes": []}`,
		"waiters":      `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "waits_for": {"kind": "chan", "address": "0x1", "waiters": -1}, "nodes": []}`,
		"self exceeds": `{"runtime": "Go 1.26.1", "id": 1, "count": 1, "nodes": [{"depth": 0, "parent": -1, "count": 1, "self": 2}]}`,
	} {
		doc := `{"schema": "stacksnap.profile", "version": 2, "threads": [], "tasks": [` + text + `]}`
		if _, err := Read(strings.NewReader(doc)); err == nil {
			t.Errorf("%s: read", what)
		}
	}
}
