//go:build readers

package firefox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/internal/counts"
	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/internal/readers"
	"stacksnap/format/profile"
	"stacksnap/format/words"
)

// profilerVersion is that of npm's @firefox-devtools/profiler-cli that the form was checked
// with: the Firefox Profiler's own code, for a terminal.
const profilerVersion = "0.10.0"

// profilerPackage is the program of that release, in $STACKSNAP_PROFILER_CLI or from npm.
func profilerPackage(t *testing.T) string {
	t.Helper()
	readers.Need(t, "node")
	if program := os.Getenv("STACKSNAP_PROFILER_CLI"); program != "" {
		return program
	}
	return filepath.Join(readers.Packed(t, "@firefox-devtools/profiler-cli@"+profilerVersion), "dist", "profiler-cli.js")
}

// profiler is a session of it.
type profiler struct {
	t       *testing.T
	program string
	env     []string
	session string
}

// openProfiler loads a file. The session answers when it has.
func openProfiler(t *testing.T, program, file string) *profiler {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pq") // its socket's path is to be short
	if err != nil {
		t.Fatal(err)
	}
	p := &profiler{t, program, append(os.Environ(), "PROFILER_CLI_SESSION_DIR="+dir), "x"}
	t.Cleanup(func() {
		_, _ = p.run("stop", "x")
		_ = os.RemoveAll(dir)
	})
	_, loadErr := p.run("load", file, "--session", "x") // it may be slow to begin
	for deadline := time.Now().Add(time.Minute); ; {
		if _, err := p.run("profile", "info", "--session", "x"); err == nil {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not loaded: %v", file, loadErr)
		}
	}
}

func (p *profiler) run(args ...string) ([]byte, error) {
	cmd := exec.Command("node", append([]string{p.program}, args...)...)
	cmd.Env = p.env
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%w: %s%s", err, out, failed.Stderr)
	}
	return out, err
}

// ask reads what a command answers.
func (p *profiler) ask(into any, args ...string) {
	p.t.Helper()
	out, err := p.run(append(args, "--json", "--session", p.session)...)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		p.t.Fatal(err)
	}
}

// functions are the samples by function of all threads.
func (p *profiler) functions(threads int) counts.Counts {
	c := counts.Counts{}
	for i := range threads {
		var answer struct {
			Functions []struct {
				Name                      string
				SelfSamples, TotalSamples int64
			}
		}
		p.ask(&answer, "thread", "functions", "--include-idle", "--thread", fmt.Sprintf("t-%d", i))
		for _, f := range answer.Functions {
			both := c[f.Name]
			c[f.Name] = [2]int64{both[0] + f.SelfSamples, both[1] + f.TotalSamples}
		}
	}
	return c
}

// TestProfilerReads: the Firefox Profiler finds the samples of each function, the CPU time
// of each thread and the markers that the profile has.
func TestProfilerReads(t *testing.T) {
	program := profilerPackage(t)
	all := map[string]*profile.Profile{"timed": fixtures.Timed(), "focus": fixtures.Timed().Select(fixtures.Matching("work"), nil, nil)}
	for kind, name := range fixtures.HostileNames {
		if kind == "blanks" || kind == "tags" || kind == "long" { // it is started for each
			all["names "+kind] = fixtures.TimedNamed(name)
		}
	}
	for kind, p := range all {
		t.Run(kind, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "it.json")
			if err := os.WriteFile(file, golden.Written(t, Write, p), 0o600); err != nil {
				t.Fatal(err)
			}
			from := openProfiler(t, program, file)
			if diff := cmp.Diff(counts.By(p, words.AreaLabel), from.functions(len(p.Threads))); diff != "" {
				t.Errorf("functions (-want +got):\n%s", diff)
			}
			if kind == "timed" {
				from.checkTimed()
			}
		})
	}
}

// checkTimed holds CPU times and markers against those of [Timed].
func (p *profiler) checkTimed() {
	p.t.Helper()
	var info struct {
		Processes []struct {
			Name    string
			Threads []struct {
				Name  string
				CPUMs float64
			}
		}
	}
	p.ask(&info, "profile", "info", "--all")
	if len(info.Processes) != 1 || len(info.Processes[0].Threads) != 3 || info.Processes[0].Threads[0].CPUMs != 360 {
		p.t.Errorf("%+v", info)
	}
	var marks struct {
		FlatMarkers []struct {
			Name, Label     string
			Start, Duration float64
		}
	}
	p.ask(&marks, "thread", "markers", "--list", "--thread", "t-0")
	if len(marks.FlatMarkers) != 3 {
		p.t.Errorf("%+v", marks)
	}
}
