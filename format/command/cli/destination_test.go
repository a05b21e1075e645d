package cli

import (
	"fmt"
	"stacksnap/task/live"
	"strings"
	"testing"
)

// planned writes where the reports of a command line go.
func planned(t *testing.T, args, defaults string) string {
	t.Helper()
	o, err := Parse(append([]string{"-p", "1"}, strings.Fields(args)...), defaults, live.Runs)
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, d := range o.Destinations() {
		all = append(all, fmt.Sprintf("%s:%s%s", d.Path, d.Form.Name, d.Compression))
	}
	return strings.Join(all, " ")
}

// TestDestinations: names tell forms, as far as nothing else is said.
func TestDestinations(t *testing.T) {
	for args, want := range map[string]string{
		"":                                "" + ":tree",
		"-f json":                         ":json",
		"-f pprof":                        ":pprof.gz",
		"-o -":                            "-:tree",
		"-o report":                       "report:tree",
		"-o report.txt":                   "report.txt:tree",
		"-o a.json":                       "a.json:json",
		"-o a.jsonl":                      "a.jsonl:jsonl",
		"-o a.folded":                     "a.folded:folded",
		"-o a.speedscope.json":            "a.speedscope.json:speedscope",
		"-o a.profile.json":               "a.profile.json:firefox",
		"-o a.profile.json.gz":            "a.profile.json.gz:firefox.gz",
		"-o a.trace.json":                 "a.trace.json:chrome",
		"-o a.html":                       "a.html:html",
		"-o a.html.zst":                   "a.html.zst:html.zst",
		"-o a.speedscope.json.gz":         "a.speedscope.json.gz:speedscope.gz",
		"-o a.pb":                         "a.pb:pprof",
		"-o a.pb.gz":                      "a.pb.gz:pprof.gz",
		"-o a.pb.zst":                     "a.pb.zst:pprof.zst",
		"-o a.gz":                         "a.gz:tree.gz",
		"-o a.txt.zst":                    "a.txt.zst:tree.zst",
		"-o json":                         "json:tree",
		"-f json -o a.txt":                "a.txt:json",
		"-f json -o a.folded":             "a.folded:json", // it is the only one, and nothing else can be meant
		"-f pprof -o a":                   "a:pprof.gz",
		"-f pprof -o a.prof":              "a.prof:pprof.gz",
		"-f pprof -o a.zst":               "a.zst:pprof.zst",
		"-f pprof -o a.gz":                "a.gz:pprof.gz",
		"-f pprof -o a.pb":                "a.pb:pprof",
		"-o - -o a.txt -o b.pb.gz":        "a.txt:tree b.pb.gz:pprof.gz -:tree",
		"-f json -o - -o a.x -o b.folded": "a.x:json b.folded:folded -:json",
		"-f json -o a.json -o b.folded":   "--format json is for none of the files, whose names tell theirs: leave it out",
		"-o a -o ./a":                     "--output ./a is given twice: each needs a file of its own",
		"-o - -o -":                       "--output - is given twice: each needs a file of its own",
		"-o b -o a --save ./a":            "--output and --save need a file each",
		"-o a.txt -o b.pb --merge":        "--merge goes with tree, json and jsonl, not with --format pprof: leave one of them out",
	} {
		if got := planned(t, args, ""); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	for args, want := range map[string]string{
		"":                      ":json",
		"-o a.txt":              "a.txt:json",
		"-o a.folded":           "a.folded:folded",
		"-o a.folded -o b.pb":   "a.folded:folded b.pb:pprof",
		"-o a.folded -o b":      "a.folded:folded b:json",
		"-f tree -o a.folded":   "a.folded:tree",
		"-o a.folded --running": "a.folded:folded",
	} {
		if got := planned(t, args, "-f json --merge=false"); got != want {
			t.Errorf("by default json, %s: %s, want %s", args, got, want)
		}
	}
	if got := planned(t, "-o a.folded", "--merge"); got != "a.folded:folded" {
		t.Errorf("by default merged: %s", got)
	}
}
