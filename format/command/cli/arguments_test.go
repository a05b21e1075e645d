package cli

import (
	"os"
	"slices"
	"stacksnap/task/live"
	"strings"
	"testing"
	"time"
)

func TestCheckSeconds(t *testing.T) {
	running := func(pid int) bool { return pid != 4713 }
	for seconds, refused := range map[float64]bool{
		10: false, 300: false, 301: true, 3600: false, 4712: true, 4712.5: false, 4713: false, 1e18: true,
	} {
		if err := checkSeconds(seconds, running); (err != nil) != refused {
			t.Errorf("%v: %v", seconds, err)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args, target, command string
		duration, interval    time.Duration
		mode                  Mode
	}{
		{args: "nginx", target: "nginx", mode: ModeSnapshot},
		{args: "4711", target: "4711", mode: ModeSnapshot},
		{args: "4711 10", target: "4711", duration: 10 * time.Second, mode: ModeSamples},
		{args: "4711 0.5 2.5", target: "4711", duration: time.Second / 2, interval: 2500 * time.Microsecond, mode: ModeSamples},
		{args: "-p 4711 1 1", target: "4711", duration: time.Second, interval: time.Millisecond, mode: ModeSamples},
		{args: "--wait it 2", duration: 2 * time.Second, mode: ModeSamples},
		{args: "-- make -j4", command: "make -j4", mode: ModeLaunch},
		{args: "3 -- make", command: "make", duration: 3 * time.Second, mode: ModeLaunch},
		{args: "--hang 1s nginx", target: "nginx", mode: ModeWatch},
		{args: "top 4711", target: "4711", mode: ModeTop},
		{args: "top -p 4711 -r 50", target: "4711", mode: ModeTop},
		{args: "-p nginx top 5", target: "nginx", duration: 5 * time.Second, mode: ModeTop},
		{args: "top top", target: "top", mode: ModeTop},
		{args: "--wait it top", mode: ModeTop},
		{args: "-p top", target: "top", mode: ModeSnapshot},
		{args: "-- top", command: "top", mode: ModeLaunch},
		{args: "--version", mode: ModeVersion},
		{args: "--sign", mode: ModeSign},
	} {
		o, err := Parse(strings.Fields(c.args), "", live.Runs)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if o.Target != c.target || strings.Join(o.Command, " ") != c.command || o.Duration != c.duration || o.interval != c.interval || o.Mode() != c.mode {
			t.Errorf("%s: %q, %q, %v, %v, %s", c.args, o.Target, o.Command, o.Duration, o.interval, o.Mode())
		}
	}
}

// TestSurplus is what stands behind a target and is no time.
func TestSurplus(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "a.snap", "", 0o600)
	write(t, dir, "b.snap", "", 0o600)
	write(t, dir, "c.snap", "", 0o600)
	write(t, dir, "prog", "\x7fELF", 0o700)
	for args, want := range map[string]string{
		"a.snap b.snap":        `for f in *.snap; do stacksnap "$f"; done`,
		"a.snap b.snap c.snap": `one at a time`,
		"./prog it's":          `stacksnap -- ./prog 'it'\''s'`,
		"prog x":               `stacksnap -- ./prog x`,
		"nginx redis":          `unexpected argument "redis" after "nginx": for several processes give -p again`,
		"nginx 1 2 3":          `unexpected argument "3"`,
		"nginx 0":              `unexpected argument "0"`,
		"nginx 1e-10":          `unexpected argument "1e-10"`,
		"nginx -d 1s 1":        `given already`,
		"nginx help":           `unexpected argument "help"`,
		"--wait it nginx":      `unexpected argument "nginx"`,
	} {
		if _, err := Parse(strings.Fields(args), "", live.Runs); err == nil || !isUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	all := []string{"", "plain", "a b", "it's", "$x", `"\`, "-d", "a\nb", "*"}
	if got, err := splitWords(shellWords(all)); err != nil || !slices.Equal(got, all) {
		t.Errorf("%q, %v", got, err)
	}
	if got := ShellWord("./prog-1.0"); got != "./prog-1.0" {
		t.Error(got)
	}
}

func TestValues(t *testing.T) {
	for args, want := range map[string]string{
		"-d 0":                            "--duration cannot be 0: give a time such as 10s",
		"-d 0.1ns":                        "--duration cannot be 0",
		"-d 10x":                          `"10x" is not a time: give a number with its unit, such as 10s or 250ms`,
		"-d 1e300":                        `"1e300" is not a time`,
		"-d NaN":                          `"NaN" is not a time`,
		"-i 5":                            `"5" has no unit: give 5ms or 5s`,
		"-i 1e3":                          `"1e3" is not a time: give a number with its unit`,
		"--hang 250":                      `"250" has no unit: give 250ms or 250s`,
		"-r x":                            `"x" is not a number`,
		"-F x":                            `"x" is not a number`,
		"--tree=x":                        `"x" is neither true nor false`,
		"-d -1s":                          "--duration cannot be negative",
		"-i 0s":                           "--interval cannot be 0",
		"-r 0":                            "--rate cannot be 0",
		"-r -1":                           "--rate cannot be negative",
		"-r NaN":                          "--rate is from",
		"-r inf":                          "--rate is from",
		"-r 1e-300":                       "--rate is from",
		"-n 0":                            "--count cannot be 0: give at least 1",
		"-n 1.5":                          `"1.5" is not a whole number`,
		"--hang 0":                        "--hang cannot be 0",
		"--hang 1s --max-hang 0":          "--max-hang cannot be 0",
		"--every 0ms":                     "--every cannot be 0",
		"--max-stop 0":                    "--max-stop cannot be 0",
		"--every 1s --keep -1":            "--keep cannot be negative",
		"-f yaml":                         `--format is tree, summary, json, jsonl, folded, pprof, speedscope, firefox, chrome, sample, spindump, spindump-timeline, ips, otlp, crash, svg or html, not "yaml"`,
		"--color blue":                    `--color is auto, always or never, not "blue"`,
		"--suspend all":                   `--suspend is thread or task, not "all"`,
		"--output=":                       "--output needs a FILE",
		"--dir=":                          "--dir needs a DIR",
		"--thread [":                      "thread name",
		"-o same --save same":             "a file each",
		"-p 2 --save it":                  "--save records one process",
		"-p 2 -d 1s --follow-waits":       "with samples is of one process",
		"--follow-waits --tree --no-stop": "with samples is of one process",
		"-p 2 -f ips":                     "one snapshot of one process",
		"-d 1s -f ips":                    "leave out sampling",
		"top 4711 --push http://h":        "leave out --push",
		"-p 2 -f crash":                   "--format crash is of one snapshot of one process",
		"-n 5 -o it.crash":                "leave out sampling",
		"--depth 3 -f crash":              "whole stacks: leave out --depth",
		"--invert -f spindump":            "whole threads as they called: leave out --invert",
		"--depth 3 -f spindump-timeline":  "whole threads as they called: leave out --depth",
		"-p 2 --hang 1s":                  "watch one process",
		"--tree --check":                  "about one process",
		"--thread=":                       "--thread needs a",
		"-d":                              "-d needs a TIME, as in: stacksnap -p 4711 -d 2m",
		"--duration":                      "--duration needs a TIME",
		"--nonsense":                      "unknown flag: --nonsense",
		"-z":                              "unknown flag: -z (see --help)",
		"-zx":                             "unknown flag: -zx (see --help)",
		"--freq 99":                       "unknown flag: --freq: here it is --rate",
		"-e cycles":                       "perf counts events",
		"--durations 3s":                  "unknown flag: --durations: did you mean --duration",
		"--hang 1s --thread x":            "by its id",
		"--hang 1s --thread 1 --thread 2": "one --thread",
		"--hang 1s --thread 1 --main":     "one thread",
	} {
		_, err := Parse(append([]string{"-p", "1"}, strings.Fields(args)...), "", live.Runs)
		if err == nil || !isUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	for _, args := range []string{"-r 0.5", "-n 1", "-d 1ns", "-o -", "--merge=false -f folded", "--hang 1s --dir d --keep 0", "-d 1s --follow-waits", "-p 2 --follow-waits"} {
		if _, err := Parse(append([]string{"-p", "1"}, strings.Fields(args)...), "", live.Runs); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestTargets is what names a process, or does not.
func TestTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"": "which process?", "-d 1s": "which process?", "-p": "-p needs a PID|NAME, as in: stacksnap -p nginx",
		"--": "which process?", "--wait": "--wait needs a NAME",
	} {
		if _, err := Parse(strings.Fields(args), "", live.Runs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
	if _, err := Parse([]string{"-p", ""}, "", live.Runs); err == nil || !strings.Contains(err.Error(), "--pid needs a PID|NAME") {
		t.Error(err)
	}
	if err := os.WriteFile("it.snap", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o, err := Parse([]string{"it.snap"}, "", live.Runs); err != nil || o.Mode() != ModeOpen {
		t.Error(o, err)
	}
	for _, args := range []string{"-p 1 -p it.snap", "it.snap --tree"} {
		if _, err := Parse(strings.Fields(args), "", live.Runs); err == nil || !strings.Contains(err.Error(), "it.snap is a file") {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, args := range []string{"-p 1 -p 2", "--tree 1", "-p deep --all -d 1s", "--wait deep --tree"} {
		if o, err := Parse(strings.Fields(args), "", live.Runs); err != nil || o.Mode() != ModeSeveral {
			t.Errorf("%s: %v", args, err)
		}
	}
}
