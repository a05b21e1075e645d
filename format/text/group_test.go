package text

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/jsondoc"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestHangFollowed has what a stuck thread waited for in other processes, and its stacks.
func TestHangFollowed(t *testing.T) {
	g := fixtures.Circle()
	r := &hangreport.Report{Reason: hangreport.Hang, Thread: 11, Profile: g.Profiles[0], Followed: hangreport.Followed{
		Chain: profile.Chain(g.Waiters(), 11, 11), Deadlocks: g.Deadlocks, Profiles: g.Profiles[1:],
		Missing: []profile.Missing{{PID: 14, Why: "not permitted to read pid 14"}},
	}}
	for name, write := range map[string]report.Writer{"tree": Tree, "summary": Summary} {
		written := string(golden.WrittenReport(t, write, report.OfHang(r), words.Options{}))
		text := strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(written), " "), " "+goesOn, " "))
		for _, want := range []string{
			"deadlock: 2 threads wait for each other main thread of make [11] waits in read: fd 5 pipe:[7]", "for thread 13 of s\\x1bh [12] to write",
			"missing: not permitted to read pid 14", `s\x1bh [12]`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, written)
			}
		}
	}
	document := golden.WrittenReport(t, jsondoc.Write, report.OfHang(r), words.Options{})
	chainOnly := *r
	chainOnly.Followed.Deadlocks = nil
	for name, write := range map[string]report.Writer{"tree": Tree, "summary": Summary} {
		written := string(golden.WrittenReport(t, write, report.OfHang(&chainOnly), words.Options{}))
		text := strings.ToLower(strings.ReplaceAll(strings.Join(strings.Fields(written), " "), " "+goesOn, " "))
		if want := "hang waits: each thread waits for the next main thread of make [11] waits in read: fd 5 pipe:[7]"; !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", name, want, written)
		}
	}
	var d struct {
		Chain     []struct{ ID, PID int }
		Deadlocks [][]any
		Missing   []struct{ PID int }
		Followed  []struct{ Threads []struct{ ID int } }
	}
	if err := json.Unmarshal(document, &d); err != nil || bytes.Count(document, []byte("\n")) != 1 {
		t.Fatal(err)
	}
	if len(d.Chain) != 2 || d.Chain[1].PID != 12 || len(d.Deadlocks) != 1 || d.Missing[0].PID != 14 || d.Followed[0].Threads[0].ID != 13 {
		t.Errorf("%+v", d)
	}
}

// TestGroupDeadlock tells of a circle through two processes as one, and once.
func TestGroupDeadlock(t *testing.T) {
	const told = `2 threads wait for each other main thread of make [11] waits in read: fd 5 pipe:[7] for thread 13 of s\x1bh [12] to write ` +
		`thread 13 of s\x1bh [12] waits for file lock fd 3 /l held by main thread of make [11]`
	for name, write := range map[string]report.Writer{"tree": Tree, "summary": Summary} {
		written := string(golden.WrittenReport(t, write, report.OfGroup(fixtures.Circle()), words.Options{}))
		text := strings.ReplaceAll(strings.ReplaceAll(strings.Join(strings.Fields(written), " "), " "+goesOn, " "), ",", "")
		if strings.Count(text, "Deadlock: "+told) != 1 || strings.Count(text, "Deadlock:") != 1 {
			t.Errorf("%s:\n%s", name, written)
		}
	}
	document := golden.WrittenReport(t, jsondoc.Write, report.OfGroup(fixtures.Circle()), words.Options{})
	var d struct {
		Deadlocks [][]struct {
			ID, PID int
			Process string
			Wait    struct{ Peer struct{ PID, Thread int } }
		}
	}
	if err := json.Unmarshal(document, &d); err != nil || len(d.Deadlocks) != 1 || len(d.Deadlocks[0]) != 2 {
		t.Fatalf("%v, %+v", err, d)
	}
	for i, w := range d.Deadlocks[0] {
		next := d.Deadlocks[0][1-i]
		if w.Wait.Peer.PID != next.PID || w.Wait.Peer.Thread != next.ID || w.Process == "" {
			t.Errorf("%+v", w)
		}
	}
}
