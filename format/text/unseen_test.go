package text

import (
	"strings"
	"testing"

	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// TestNotSeen names what another tool shows, by the images and Go's functions, and the
// command only where the process may still run.
func TestNotSeen(t *testing.T) {
	program := func(path string) *profile.Image { return &profile.Image{Path: path, Main: true} }
	library := func(path string) *profile.Image { return &profile.Image{Path: path} }
	for _, c := range []struct {
		image    *profile.Image
		function string
		want     string // empty: nothing is said
	}{
		{program("/usr/bin/python3.11"), "main", "Python functions; py-spy dump --pid 4711 shows them"},
		{program("/usr/bin/python3-config"), "main", ""},
		{program("/opt/nodes"), "main", ""},
		{program("/usr/bin/nodejs"), "main", "JavaScript functions that no perf map names; node --perf-basic-prof names them, from its next start on"},
		{library("/usr/lib/libpython3.11.so.1.0"), "main", "Python functions; py-spy dump --pid 4711 shows them"},
		{library("/usr/bin/python3.11"), "main", ""},
		{library("/usr/lib/jvm/lib/server/libjvm.so"), "main", "Java methods that no perf map names; jcmd 4711 Thread.print shows them"},
		{program("/usr/bin/shop"), "runtime.mcall", "goroutines that no thread runs; dlv attach 4711 shows them, and stops the process meanwhile"},
		{program("/usr/bin/shop"), "runtime.mcaller", ""},
	} {
		n := &profile.Node{Location: profile.Location{Image: c.image, Function: c.function}}
		p := &profile.Profile{Snapshots: 1, Images: []*profile.Image{c.image},
			Target:  task.Info{PID: 4711, Live: true, OS: task.Linux},
			Threads: []*profile.Thread{{ID: 4711, Main: true, Samples: 1, Roots: []*profile.Node{n}}}}
		for _, live := range []bool{true, false} {
			p.Target.Live = live
			want := "\nNot seen:        " + c.want + "\n"
			if !live {
				what, _, _ := strings.Cut(c.want, ";")
				want = "\nNot seen:        " + what + "\n"
			}
			got := string(golden.WrittenReport(t, Tree, report.Of(p), words.Options{}))
			if has := strings.Contains(got, "Not seen"); has != (c.want != "") || has && !strings.Contains(got, want) {
				t.Errorf("%s, %s, live %t: want %q in\n%s", c.image.Path, c.function, live, c.want, got)
			}
		}
	}
}
