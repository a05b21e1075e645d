package pyroscope

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	pb "github.com/google/pprof/profile"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/profile"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// inner returns the bytes of the fields of that number in a message.
func inner(t *testing.T, m []byte, number int) (all [][]byte) {
	t.Helper()
	err := protobuf.Each(m, func(f protobuf.Field) error {
		if f.Number == number {
			all = append(all, f.Bytes)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// pushed returns the labels and the profile of each series of a report's upload.
func pushed(t *testing.T, r *report.Report) (labels []map[string]string, profiles []*pb.Profile) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, words.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, series := range inner(t, b.Bytes(), 1) {
		of := map[string]string{}
		for _, l := range inner(t, series, 1) {
			of[string(inner(t, l, 1)[0])] = string(inner(t, l, 2)[0])
		}
		p, err := pb.ParseData(inner(t, inner(t, series, 2)[0], 1)[0])
		if err != nil {
			t.Fatal(err)
		}
		labels, profiles = append(labels, of), append(profiles, p)
	}
	return labels, profiles
}

func TestLabels(t *testing.T) {
	demo := func() *profile.Profile {
		p := fixtures.Sampled()
		p.Target.PID, p.Target.Name = 4711, "demo"
		return p
	}
	watched := func(reason hangreport.Reason) *report.Report {
		return report.OfHang(&hangreport.Report{Profile: demo(), Reason: reason})
	}
	two := report.OfGroup(&profile.Group{Profiles: []*profile.Profile{demo(), fixtures.Sampled()}})
	two.Profiles[1].Target.PID, two.Profiles[1].Target.Name = 0, "core"
	named := report.Of(demo())
	named.Origin = report.Origin{Host: "box", Service: "shop"}
	for name, c := range map[string]struct {
		of   *report.Report
		want []map[string]string
	}{
		"one":     {report.Of(demo()), []map[string]string{{"service_name": "demo", "pid": "4711"}}},
		"named":   {named, []map[string]string{{"service_name": "shop", "host": "box", "pid": "4711"}}},
		"several": {two, []map[string]string{{"service_name": "demo", "pid": "4711"}, {"service_name": "core"}}},
		"a hang":  {watched(hangreport.Hang), []map[string]string{{"service_name": "demo", "pid": "4711", "hang": "yes"}}},
		"no hang": {watched(hangreport.Periodic), []map[string]string{{"service_name": "demo", "pid": "4711", "hang": "no"}}},
	} {
		got, _ := pushed(t, c.of)
		for i, want := range c.want {
			want["__name__"] = "process_cpu"
			if len(got) != len(c.want) || !maps.Equal(got[i], want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
}

// TestThreadLabels: each of the threads with the most samples has its name as a label, the
// others share one, and no number of a thread is a label.
func TestThreadLabels(t *testing.T) {
	im := &profile.Image{Path: "/it", Main: true, Load: 1, End: 100}
	p := fixtures.Moments(&profile.Profile{Snapshots: 2}, 0)
	p.Target = task.Info{PID: 1, Name: "it", OS: task.Linux, Arch: task.AMD64}
	for i := range maxThreadLabels + 3 {
		th := &profile.Thread{ID: task.ThreadID(i + 1), Name: fmt.Sprintf("worker-%d", i), Samples: i + 1}
		n := fixtures.At(im, "work", 1, 2)
		n.Count = i + 1
		th.Roots = fixtures.Stack(n)
		p.Threads = append(p.Threads, th)
	}
	_, profiles := pushed(t, report.Of(p))
	got := map[string]int{}
	for _, s := range profiles[0].Sample {
		for key, values := range s.Label {
			if key == "thread" {
				got[values[0]]++
			}
		}
		if len(s.Label["thread_id"])+len(s.NumLabel["thread_id"]) > 0 {
			t.Errorf("the number of a thread is a label: %v %v", s.Label, s.NumLabel)
		}
	}
	if len(got) != maxThreadLabels+1 || got["other"] != 3 || got["worker-2"] != 0 || got["worker-3"] != 1 {
		t.Errorf("%v", got)
	}
}
