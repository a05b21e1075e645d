package cli

import (
	"strings"
	"testing"

	"stacksnap/task/live"
)

// TestRecordingByName: -o it.snap is --save it.snap, also where that is refused.
func TestRecordingByName(t *testing.T) {
	for args, want := range map[string]string{
		"-o it.snap":                      "it.snap | :tree",
		"-o it.snap -f json":              "it.snap | :json",
		"-o it.snap -o it.json":           "it.snap | it.json:json",
		"-o it.txt -o it.snap -d 1s":      "it.snap | it.txt:tree",
		"-o it.snap --save it.snap":       "it.snap is a recording, and there is one alone: give one, by --save or -o",
		"-o a.snap -o b.snap":             "a.snap is a recording, and there is one alone: give one, by --save or -o",
		"-o it.snap -p 2":                 "-o it.snap records one process: leave out --tree, --all and a second -p, or write a report with -o",
		"-o it.snap --check":              "--check captures nothing and prints lines of its own: leave out -o it.snap",
		"--save it.html":                  "--save makes a recording, and it.html is a name of html: give -o it.html for that, and --save a name such as it.snap",
		"--save it.txt":                   "--save makes a recording, and it.txt is a name of a text: give -o it.txt for that, and --save a name such as it.snap",
		"--save it":                       "it | :tree",
		"-o core.4711":                    " | core.4711:tree",
		"-o .hidden":                      " | .hidden:tree",
		"-o a.log":                        " | a.log:tree",
		"-o /x.y/a":                       " | /x.y/a:tree",
		"-f sample -o a.sample":           " | a.sample:sample",
		"-f json -o - -o a.x -o b.folded": " | a.x:json b.folded:folded -:json",
	} {
		o, err := Parse(append([]string{"-p", "1"}, strings.Fields(args)...), "", live.Runs)
		got := planned(t, args, "")
		if err == nil {
			got = o.Save + " | " + got
		}
		if got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// TestUnknownExtensions are refused with those that there are.
func TestUnknownExtensions(t *testing.T) {
	for _, args := range []string{"-o it.prof", "-o it.perf.gz", "-o it.snap.gz", "-o a.json -o b.xyz"} {
		got := planned(t, args, "")
		if !strings.HasPrefix(got, "no format is known by .") || !strings.Contains(got, ".folded, .pb, .speedscope.json") || !strings.Contains(got, "recording .snap") {
			t.Errorf("%s: %s", args, got)
		}
	}
	if got := planned(t, "-o it.xyz", "-f json"); got != "it.xyz:json" {
		t.Error(got)
	}
	o := newOptions()
	for path, want := range map[string]string{"it.snap": "the name of a recording", "it.xyz": "no format is known by .xyz", "it.json": "", "it.txt": "", "it": ""} {
		if err := o.CheckReportName(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
