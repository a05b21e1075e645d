package html

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/task"
	"stacksnap/unwind"
)

// timed is a sampling of 100 snapshots, ten milliseconds apart, of a thread that waits in its
// run loop but for 500 ms.
func timed() *profile.Profile {
	b := profile.NewBuilder(task.Info{PID: 1, Name: "demo", OS: task.Linux}, "stacksnap test")
	b.KeepTimelines()
	b.SetInterval(10*time.Millisecond, 0)
	for i := range 100 {
		t, pcs := task.Thread{ID: 1, State: task.Sleeping}, []task.Addr{0x3000, 0x1000}
		if i >= 20 && i < 70 {
			t.State, pcs = task.Running, []task.Addr{0x5000, 0x4000, 0x1000}
		}
		var st profile.Stack
		for _, pc := range pcs {
			st.Frames = append(st.Frames, unwind.Frame{PC: pc, By: unwind.ByCFI})
		}
		if i >= 90 {
			st.Stop.Reason = unwind.NoCaller
		}
		if i == 99 {
			st.Frames = nil
		}
		b.Add(&task.Snapshot{Time: time.Unix(1000, 0).Add(time.Duration(i) * 10 * time.Millisecond), Threads: []task.Thread{t}}, []profile.Stack{st}, nil)
		if i == 5 {
			b.Look([]profile.Look{{Thread: 1, Wait: &profile.Wait{Call: "epoll_wait"}}}, true)
		}
	}
	return b.Profile()
}

type timedThread struct {
	Nodes, Timeline []int64
	Marks           [][]any
	Cut             bool
}

func timedThreads(t *testing.T, g *profile.Group, room int) (all []timedThread) {
	t.Helper()
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	d := newData(out)
	d.stretches = room
	d.group(g)
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	var page struct {
		Processes []struct{ Threads []timedThread }
	}
	if err := json.Unmarshal(b.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	for _, p := range page.Processes {
		all = append(all, p.Threads...)
	}
	return all
}

// TestTimeline: in each node end as many samples as the timeline has time of it, whichever
// way the tree is turned.
func TestTimeline(t *testing.T) {
	for kind, p := range map[string]*profile.Profile{"as called": timed(), "inverted": timed().Invert(), "pruned": timed().ByFunction().Prune(0, 1)} {
		th := timedThreads(t, &profile.Group{Profiles: []*profile.Profile{p}}, maxStretches)[0]
		times := map[int64]int64{}
		at, end := int64(0), int64(0)
		for row := range slices.Chunk(th.Timeline, 4) {
			if at += row[0]; at != end {
				t.Errorf("%s: at %d after %d", kind, at, end)
			}
			end = at + row[1]
			times[row[3]] += row[1]
		}
		for i := range len(th.Nodes) / 6 {
			if samples := th.Nodes[i*6+3]; samples*10_000 != times[int64(i)] {
				t.Errorf("%s: node %d has %d samples and %d µs", kind, i, samples, times[int64(i)])
			}
		}
		if end != 1_000_000 {
			t.Errorf("%s: it ends at %d", kind, end)
		}
	}
}

// TestMarks are of waits and hangs.
func TestMarks(t *testing.T) {
	late := timed()
	late.Start = late.Start.Add(time.Second)
	all := timedThreads(t, &profile.Group{Profiles: []*profile.Profile{timed(), late}}, maxStretches)
	for i, from := range []int{0, 1_000_000} {
		want := fmt.Sprint([][]any{
			{from, from + 200_000, "waits in epoll_wait", false}, {from + 700_000, from + 900_000, "waits in 0x3000", false},
			{from + 200_000, from + 700_000, "hang: not seen in its run loop", true},
		})
		var got [][]any
		for _, m := range all[i].Marks {
			got = append(got, []any{int(m[0].(float64)), int(m[1].(float64)), m[2], m[3]})
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// TestTimelineRoom: what does not fit into a page is left out, and said to be.
func TestTimelineRoom(t *testing.T) {
	all := timedThreads(t, &profile.Group{Profiles: []*profile.Profile{timed(), timed()}}, 7)
	if all[0].Cut || len(all[0].Timeline) == 0 || !all[1].Cut || len(all[1].Timeline) > 0 {
		t.Errorf("%d and %d numbers", len(all[0].Timeline), len(all[1].Timeline))
	}
	if plain := timedThreads(t, &profile.Group{Profiles: []*profile.Profile{sampled()}}, 7); plain[0].Cut || plain[0].Timeline != nil {
		t.Error("a timeline where none was kept")
	}
}
