package out

import (
	"strings"
	"testing"

	"stacksnap/format/command/cli"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/task"
	"stacksnap/task/live"
)

func TestIsUTF8(t *testing.T) {
	for _, tt := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", false},
		{"", "", "C", false},
		{"", "", "en_US.UTF-8", true},
		{"", "", "de_DE.utf8@euro", true},
		{"", "UTF-8", "C", true},
		{"C", "UTF-8", "en_US.UTF-8", false},
		{"C.UTF-8", "", "C", true},
		{"", "de_DE.ISO-8859-1", "en_US.UTF-8", false},
	} {
		env := map[string]string{"LC_ALL": tt.all, "LC_CTYPE": tt.ctype, "LANG": tt.lang}
		if got := IsUTF8(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%v: %v", env, got)
		}
	}
}

// TestAlikeFromFour: four threads with the same stack are one entry, three are not, nor are
// four under --no-merge; --merge puts two together.
func TestAlikeFromFour(t *testing.T) {
	for _, c := range []struct {
		threads int
		args    []string
		want    bool
	}{{3, nil, false}, {4, nil, true}, {4, []string{"--no-merge"}, false}, {2, []string{"--merge"}, true}} {
		p := &profile.Profile{Snapshots: 1, Target: task.Info{PID: 1, Name: "it", OS: task.Linux, Arch: task.AMD64}}
		for i := range c.threads {
			p.Threads = append(p.Threads, &profile.Thread{ID: task.ThreadID(i + 2), State: task.Sleeping, Samples: 1})
		}
		o, err := cli.Parse(append([]string{"-p", "1"}, c.args...), "", live.Runs)
		if err != nil {
			t.Fatal(err)
		}
		r := &Reporter{Options: o}
		var b strings.Builder
		if err := text.Tree(&b, report.Of(p), r.OptionsOf(&cli.Destination{Path: "it.txt"})); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "threads alike"); got != c.want {
			t.Errorf("%+v:\n%s", c, b.String())
		}
	}
}
