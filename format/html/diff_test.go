package html

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/profile"
	"stacksnap/format/profile/diff"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// compares makes the page of a comparison.
func compares(t *testing.T, before, after *profile.Profile, o diff.Options) string {
	t.Helper()
	d, err := diff.New(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	c := &words.Comparison{Diff: d, Tool: "stacksnap 1.0", Files: [2]string{"old.json", hostile}}
	if err := Write(&b, report.OfDiff(c), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// later is sampled after work has grown, and found has gone.
func later() *profile.Profile {
	p := newProfile(100)
	demo := p.Images[0]
	p.Threads = []*profile.Thread{
		newThread(1, "demo", calls(demo, "main", 20, calls(demo, "work", 150, calls(demo, "new", 7)))),
		newThread(2, "idle", calls(demo, "wait", 100)),
	}
	return p
}

// TestGoldenDiff is what the page of a comparison is given.
func TestGoldenDiff(t *testing.T) {
	golden := filepath.Join("testdata", "diff.json")
	page := compares(t, sampled(), later(), diff.Options{By: profile.ByThread, Measure: diff.ByCPU})
	got := element(t, dataElement, page)
	if strings.Count(page, "<script") != 2 || strings.ContainsAny(got, "<>&\u2028\u202e\x1b") {
		t.Error("a name has become markup")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v (-want +got; go test -update writes it)\n%s", err, cmp.Diff(string(want), got))
	}
}

// TestDiffCounts: all that was counted on either side is in the nodes, and comes to 100
// percent of what it is a share of.
func TestDiffCounts(t *testing.T) {
	for _, scale := range []diff.Scale{diff.ToTotal, diff.AsCounted} {
		page := compares(t, sampled(), later(), diff.Options{By: profile.ByProcess, Scale: scale})
		var before, after int64
		for _, th := range read(t, page).Processes[0].Threads {
			for at := 0; at < len(th.Nodes); at += 6 {
				after, before = after+th.Nodes[at+3], before+th.Nodes[at+4]
			}
		}
		if before != 201 || after != 277 { // 191 in frames and 10 without, 277 in frames
			t.Errorf("%d before, %d after", before, after)
		}
		want := `"compared":{"measure":"samples","shares":true,"scale":[0.4975124378109453,0.36101083032490977]}`
		if scale == diff.AsCounted {
			want = `"compared":{"measure":"samples","shares":false,"scale":[1,1]}`
		}
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, element(t, dataElement, page)[:400])
		}
	}
}
